// The C reader as an entry of the Grid-based Path Planning Competition, for its classic starting kit:
// preprocess a map, then answer whole paths. See README.md beside this file.
#include "Entry.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "levelbake.h"

namespace {

struct Reader {
    std::vector<uint64_t> bytes;
    std::vector<int32_t> nodes;
    lb_level level;
    lb_nav nav;
};

void run(const std::string &command) {
    if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
}

} // namespace

// Writes the map as text and has it baked: BAKE is the command, `bake` if it is not set.
void PreprocessMap(const std::vector<bool> &bits, int width, int height, const std::string &filename) {
    std::ofstream map(filename + ".map");
    map << "type octile\nheight " << height << "\nwidth " << width << "\nmap\n";
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) map << (bits[static_cast<size_t>(y) * width + x] ? '.' : '@');
        map << '\n';
    }
    map.close();
    const char *given = std::getenv("BAKE");
    const std::string bake = given ? given : "bake", folder = filename.substr(0, filename.find_last_of('/'));
    run(bake + " build '" + filename + ".map' -o '" + folder + "' --quiet");
    run(bake + " export '" + filename + ".h5' -o '" + filename + "' --quiet");
}

void *PrepareForSearch(const std::vector<bool> &, int, int, const std::string &filename) {
    Reader *reader = new Reader;
    std::ifstream file(filename, std::ios::binary | std::ios::ate);
    const size_t size = file ? static_cast<size_t>(file.tellg()) : 0;
    reader->bytes.resize(size / 8 + 1);
    file.seekg(0);
    file.read(reinterpret_cast<char *>(reader->bytes.data()), static_cast<std::streamsize>(size));
    int error = lb_open(&reader->level, reader->bytes.data(), size);
    if (error == LB_OK) error = lb_profile(&reader->level, nullptr, &reader->nav);
    if (error != LB_OK) throw std::runtime_error(filename + ": " + lb_error_text(error));
    reader->nodes.resize(static_cast<size_t>(reader->nav.rows));
    return reader;
}

// The cells where the path turns, and both ends.
bool GetPath(void *data, xyLoc s, xyLoc g, std::vector<xyLoc> &path) {
    Reader *reader = static_cast<Reader *>(data);
    const int32_t width = reader->level.width, *nodes = reader->nodes.data();
    const size_t count = lb_path(&reader->nav, s.y * width + s.x, g.y * width + g.x, reader->nodes.data(),
                                 reader->nodes.size());
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && i + 1 < count && nodes[i + 1] - nodes[i] == nodes[i] - nodes[i - 1]) continue;
        const int32_t y = nodes[i] / width;
        path.push_back({static_cast<int16_t>(nodes[i] - y * width), static_cast<int16_t>(y)});
    }
    return true;
}

std::string GetName() { return "levelbake"; }
