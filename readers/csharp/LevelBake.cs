// Reads the flat files of bake (docs/format.md): next hops, paths, distances, and exact updates.
//
// For netstandard2.1 and C# 7.2 or newer, so for Unity 2021.2 and newer, Godot and plain .NET. Nodes are
// numbers: on grids (floor * FloorRows + y) * Width + x, on graphs the node's number. What cannot be
// reached is a value: -1, 0 nodes or infinity. No lookup allocates memory.
//
//     var level = Level.Open(File.ReadAllBytes("cave.bake"));
//     Nav nav = level.Profile();
//     int next = nav.NextHop(nav.NodeAt(1, 1), nav.NodeAt(18, 5));

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace LevelBake
{
    /// <summary>The error for an invalid file, patch or argument; the message is one line.</summary>
    public sealed class LevelException : Exception
    {
        public LevelException(string message) : base(message) { }

        /// <summary>Formats an invalid name as one line.</summary>
        internal static string Quoted(string name)
        {
            if (name == null) return "null";
            var found = new StringBuilder("\"");
            for (int i = 0; i < name.Length && i < 40; i++) found.Append(char.IsControl(name[i]) ? '?' : name[i]);
            return found.Append('"').ToString();
        }

        internal static LevelException Damaged(string what)
        {
            return new LevelException("the file is damaged: " + what);
        }
    }

    // -- the file ---------------------------------------------------------------------------------

    /// <summary>One column: its position in the file and its element type.</summary>
    internal sealed class Column
    {
        internal int Type, Offset, Count;
        internal uint[] Shape;

        internal static readonly int[] Sizes = { 0, 1, 2, 4, 4, 8, 8, 1 };
        internal const int Text = 7;
    }

    /// <summary>Unsigned integers of one, two or four bytes.</summary>
    internal readonly struct Unsigned
    {
        private readonly byte[] bytes;
        private readonly ushort[] halves;
        private readonly uint[] words;
        internal readonly int Length;
        /// <summary>The largest representable number.</summary>
        internal readonly uint All;

        internal Unsigned(Array values)
        {
            bytes = values as byte[];
            halves = values as ushort[];
            words = values as uint[];
            Length = values == null ? 0 : values.Length;
            All = bytes != null ? byte.MaxValue : halves != null ? ushort.MaxValue : uint.MaxValue;
        }

        internal bool Here { get { return bytes != null || halves != null || words != null; } }

        internal uint this[int i]
        {
            get { return bytes != null ? (uint)bytes[i] : halves != null ? (uint)halves[i] : words[i]; }
        }
    }

    /// <summary>Parses the header and the table of columns, without verifying the elements of columns.</summary>
    internal sealed class FlatFile
    {
        internal readonly byte[] Bytes;
        internal readonly uint Revision;
        private readonly Dictionary<string, Column> columns = new Dictionary<string, Column>();

        private static readonly byte[] Magic = { 0x8b, 0x42, 0x4b, 0x45, 13, 10, 26, 10 };

        internal FlatFile(byte[] bytes)
        {
            if (bytes == null) throw new LevelException("expected the bytes of a .bake file");
            if (!BitConverter.IsLittleEndian) throw new LevelException("this machine is big-endian");
            Bytes = bytes;
            int size = bytes.Length;
            string start = System.Text.Encoding.ASCII.GetString(bytes, 0, Math.Min(size, 24));
            if (start.StartsWith("version https://git-lfs.", StringComparison.Ordinal)
                || start.StartsWith("version https://hawser.", StringComparison.Ordinal))
                throw new LevelException("this is a Git LFS pointer; run `git lfs pull`");
            bool ours = size >= 64;
            for (int i = 0; ours && i < 8; i++) ours = bytes[i] == Magic[i];
            if (!ours) throw new LevelException("this is no .bake file");
            int version = BitConverter.ToUInt16(bytes, 8);
            if (version != 3)
                throw new LevelException("version " + version + " of flat files; this reader knows 3");
            ulong said = BitConverter.ToUInt64(bytes, 16);
            if (said > int.MaxValue)
                throw new LevelException("the file is larger than 2 GiB, which this reader cannot hold");
            if (said != (ulong)size || size % 64 != 0)
                throw new LevelException("the file has " + size + " bytes, expected " + said);
            int count = BitConverter.ToUInt16(bytes, 10);
            if (count > size / 64 - 1) throw LevelException.Damaged("its table is longer than the file");
            CheckSum();
            Revision = BitConverter.ToUInt32(bytes, 12);
            for (int i = 1; i <= count; i++) AddColumn(64 * i, 64 + 64 * count);
        }

        private void CheckSum()
        {
            uint sum = 1, sums = 0;
            for (int at = 0; at < Bytes.Length; at += 4)
            {
                if (at != 56 && at != 60) sum = unchecked(sum + BitConverter.ToUInt32(Bytes, at));
                sums = unchecked(sums + sum);
            }
            if (sum != BitConverter.ToUInt32(Bytes, 56) || sums != BitConverter.ToUInt32(Bytes, 60))
                throw LevelException.Damaged("its checksum does not fit");
        }

        private void AddColumn(int at, int first)
        {
            string name = Decode(at, 24);
            int profile = BitConverter.ToInt32(Bytes, at + 24);
            int type = BitConverter.ToUInt16(Bytes, at + 28);
            int dimensions = BitConverter.ToUInt16(Bytes, at + 30);
            ulong offset = BitConverter.ToUInt64(Bytes, at + 48);
            ulong length = BitConverter.ToUInt64(Bytes, at + 56);
            ulong size = (ulong)Bytes.Length;
            bool fits = type >= 1 && type <= 7 && dimensions >= 1 && dimensions <= 4;
            fits = fits && offset % 64 == 0 && offset >= (ulong)first;
            fits = fits && offset <= size && length <= size - offset;
            var shape = new uint[fits ? dimensions : 0];
            ulong product = fits ? (ulong)Column.Sizes[type] : 0;
            for (int i = 0; i < shape.Length; i++)
            {
                shape[i] = BitConverter.ToUInt32(Bytes, at + 32 + 4 * i);
                // No product of lengths of a column that lies in the file exceeds its size.
                fits = fits && (product == 0 || shape[i] <= size / product);
                product = fits ? product * shape[i] : 0;
            }
            if (!fits || product != length)
                throw LevelException.Damaged("column " + name + " does not lie in it");
            columns[profile + " " + name] = new Column
            {
                Type = type,
                Offset = (int)offset,
                Count = (int)length / Column.Sizes[type],
                Shape = shape,
            };
        }

        internal Column Find(int profile, string name)
        {
            Column found;
            return columns.TryGetValue(profile + " " + name, out found) ? found : null;
        }

        internal int[] Numbers(int profile, int count)
        {
            Column column = Find(profile, "numbers");
            if (column == null || column.Type != 4 || column.Count != count)
                throw LevelException.Damaged("column numbers");
            return (int[])Read(column);
        }

        internal Array Read(Column column)
        {
            Array found = null;
            switch (column.Type)
            {
                case 1: found = new byte[column.Count]; break;
                case 2: found = new ushort[column.Count]; break;
                case 3: found = new uint[column.Count]; break;
                case 4: found = new int[column.Count]; break;
                case 5: found = new long[column.Count]; break;
                case 6: found = new double[column.Count]; break;
                default: return Texts(column);
            }
            Buffer.BlockCopy(Bytes, column.Offset, found, 0, column.Count * Column.Sizes[column.Type]);
            return found;
        }

        private string[] Texts(Column column)
        {
            if (column.Shape.Length != 2) throw LevelException.Damaged("a column of text");
            // Texts without a byte would be as many as somebody wants.
            int width = (int)column.Shape[1];
            if (width == 0 && column.Shape[0] > 0) throw LevelException.Damaged("a column of text");
            var found = new string[column.Shape[0]];
            for (int i = 0; i < found.Length; i++) found[i] = Decode(column.Offset + i * width, width);
            return found;
        }

        private string Decode(int at, int width)
        {
            int length = Array.IndexOf(Bytes, (byte)0, at, width) - at;
            return Encoding.UTF8.GetString(Bytes, at, length < 0 ? width : length);
        }
    }

    /// <summary>The verified columns of the level, or of a profile, by name.</summary>
    internal sealed class Columns
    {
        // A line is a column: its name, its types by number, its dimensions, when it has to be there, and
        // what its numbers are. Letters are lengths that agree wherever they stand; "+" is one more, and
        // "z" the width of text, which is free. A column has to be there always (*), on grids (#), on
        // graphs (&), never (?, and -), or as the last one above it with ? is there (=), or if there are
        // links (l). Numbers are below a length (<), -1 or below it (-), places in a list (^: from 0 to
        // its length, never falling; % if each has one at least), ticks ($), or classes (~).
        internal const string Level = @"
numbers 4 14 *
name 7 1,z *
recipe 7 1,z *
profile_name 7 P,z *
terrain_name 7 T,z *
terrain_colour 1 T,3 *
terrain 1 L * <T
barred 1 L -
first_out 4 L+ & ^A
head 4 A & <L
length 6 A &
position 6 L,2 -
elevation 6 L -
cell 4 L,3 -
node_name 7 L,z -
node_number 5 L -
centre 6 F,2 ?
step 6 S,2 =
link_from 4 l ? <L
link_to 4 l = <L
link_ticks 4 l = $
link_number 4 l = <i
link_name 7 i,z =
link_id 7 i,z -
link_kind 7 i,z =
link_start 4 i = <L
link_goal 4 i = <L
link_cost 6 i =
link_both_ways 1 i =
link_first_profile 4 i+ = ^j
link_profile 7 j,z =
price_from 4 p ? <L
price_to 4 p = <L
price_ticks 4 p = $
price_units 6 p =
region_name 7 g,z ?
region_id 7 g,z -
region_first_cell 4 g+ = ^c
region_cell 4 c = <L
spot_name 7 s,z ?
spot_id 7 s,z -
spot_kind 7 s,z =
spot_at 4 s = <L
spot_first_profile 4 s+ = ^t
spot_profile 7 t,z =
door_name 7 d,z ?
door_id 7 d,z -
door_first_cell 4 d+ = ^e
door_cell 4 e = <L
door_first_state 4 d+ = ^f
door_state_name 7 f,z =
door_state 4 d = -f
door_first_terrain 4 f+ = ^h
door_terrain 1 h = <T";

        internal const string Profile = @"
numbers 4 8 *
cost 6 T *
class 2 T * ~C
step_ticks 4 2,C,C # $
may_enter 1 T,T -
row_at 4 L * -R
component 4 R - <K
reach 1 K,b -
first_run 3 R+ ? %u
run_start 23 u =
run_move 123 u =
greedy_kind 123 R ? <k
greedy_move 123 k,18 =
link_open 1 l l
weight 4 A & $
slope 6 4 -
label_away 4 q ?
label_parent 4 R = -R
label_top 4 R = <R
first_label 3 R+ = %q
label_toward 4 q -";

        private readonly Dictionary<string, Array> found = new Dictionary<string, Array>();
        private readonly Dictionary<char, long> lengths;

        internal Columns(FlatFile file, string schema, int profile, Dictionary<char, long> known,
                         bool grid, Columns shared)
        {
            lengths = known;
            bool leader = false, links = shared != null && shared.Has("link_from");
            var checks = new List<string[]>();
            foreach (string line in schema.Split(new[] { '\n', '\r' }, StringSplitOptions.RemoveEmptyEntries))
            {
                string[] words = line.Split(' ');
                Column column = file.Find(profile, words[0]);
                string need = words[3];
                if (need == "?") leader = column != null;
                if (column == null || (need == "=" && !leader))
                {
                    string wanted = "*" + (grid ? "#" : "&") + (leader ? "=" : "") + (links ? "l" : "");
                    if (wanted.Contains(need)) throw LevelException.Damaged("it has no column " + words[0]);
                    continue;
                }
                if (!words[1].Contains(column.Type.ToString()) || !Fits(column, words[2].Split(',')))
                    throw LevelException.Damaged("column " + words[0] + " has another type or shape");
                found[words[0]] = file.Read(column);
                if (words.Length > 4) checks.Add(words);
            }
            foreach (string[] words in checks)
            {
                long limit;
                if (!lengths.TryGetValue(words[4].Length > 1 ? words[4][1] : ' ', out limit)) limit = 0;
                if (!InRange(found[words[0]], words[4][0], limit))
                    throw LevelException.Damaged("a number in column " + words[0] + " is out of range");
            }
        }

        private bool Fits(Column column, string[] names)
        {
            if (names.Length != column.Shape.Length) return false;
            for (int i = 0; i < names.Length; i++)
            {
                long length = column.Shape[i] - (names[i].EndsWith("+") ? 1L : 0L), wanted;
                if (names[i] == "z") continue;
                if (char.IsDigit(names[i][0])) wanted = int.Parse(names[i], CultureInfo.InvariantCulture);
                else if (!lengths.TryGetValue(names[i][0], out wanted)) lengths[names[i][0]] = wanted = length;
                if (length != wanted || length < 0) return false;
            }
            return true;
        }

        private static bool InRange(Array values, char kind, long limit)
        {
            var ints = values as int[];
            var unsigned = new Unsigned(values);
            bool listed = kind == '^' || kind == '%';
            long before = kind == '%' ? -1 : 0, value = 0;
            for (int i = 0; i < values.Length; i++)
            {
                value = ints != null ? ints[i] : (long)unsigned[i];
                if (listed)
                {
                    if (value < before || (i == 0 && value != 0) || (kind == '%' && value == before))
                        return false;
                    before = value;
                }
                else if (kind == '$')
                {
                    if (value < 1 || (value > Prices.MaxWeight && value != Prices.Blocked)) return false;
                }
                else if (value >= limit)
                {
                    if (kind != '~' || value != Prices.NoClass) return false;
                }
                else if (value < (kind == '-' ? -1 : 0)) return false;
            }
            return !listed || (values.Length > 0 && value == limit);
        }

        internal bool Has(string name) { return found.ContainsKey(name); }

        internal Array Any(string name)
        {
            Array column;
            return found.TryGetValue(name, out column) ? column : null;
        }

        internal int[] Ints(string name) { return (int[])Any(name); }
        internal uint[] UInts(string name) { return (uint[])Any(name); }
        internal byte[] Bytes(string name) { return (byte[])Any(name); }
        internal double[] Doubles(string name) { return (double[])Any(name); }
        internal string[] Texts(string name) { return (string[])Any(name); }

        internal long Length(char letter)
        {
            long found;
            return lengths.TryGetValue(letter, out found) ? found : 0;
        }
    }

    // -- the level --------------------------------------------------------------------------------

    public enum LevelKind { Graph, Squares, Hexagons }

    public sealed class LevelTerrain
    {
        public string Name { get; internal set; }
        public byte Red { get; internal set; }
        public byte Green { get; internal set; }
        public byte Blue { get; internal set; }
    }

    public sealed class Region
    {
        public string Name { get; internal set; }
        public string Id { get; internal set; }
        public int[] Nodes { get; internal set; }
    }

    public sealed class Spot
    {
        public string Name { get; internal set; }
        public string Id { get; internal set; }
        public string Kind { get; internal set; }
        public int Node { get; internal set; }
        /// <summary>Names of the profiles that the spot is for; empty = all.</summary>
        public string[] Profiles { get; internal set; }
    }

    public sealed class Link
    {
        public string Name { get; internal set; }
        public string Id { get; internal set; }
        public string Kind { get; internal set; }
        public int From { get; internal set; }
        public int To { get; internal set; }
        /// <summary>Cost of taking the link, in units.</summary>
        public double Cost { get; internal set; }
        public bool BothWays { get; internal set; }
        public string[] Profiles { get; internal set; }
    }

    public sealed class DoorState
    {
        public string Name { get; internal set; }
        /// <summary>The terrain of each of the door's nodes, as an index of Level.Terrains.</summary>
        public byte[] Terrains { get; internal set; }
    }

    public sealed class Door
    {
        public string Name { get; internal set; }
        public string Id { get; internal set; }
        public int[] Nodes { get; internal set; }
        public DoorState[] States { get; internal set; }
        /// <summary>Index of the baked state in States; -1 if the nodes match no state.</summary>
        public int Baked { get; internal set; }
    }

    /// <summary>A baked level. Immutable; <see cref="Changes"/> is a changeable view of a level.</summary>
    public sealed class Level
    {
        private static readonly string[] Layouts = { null, "odd-r", "even-r", "odd-q", "even-q" };

        public string Name { get; private set; }
        public LevelKind Kind { get; private set; }
        /// <summary>odd-r, even-r, odd-q or even-q; null on other levels.</summary>
        public string HexLayout { get { return Layouts[Layout]; } }
        public int Width { get; private set; }
        /// <summary>Rows of one floor.</summary>
        public int FloorRows { get; private set; }
        public int Floors { get; private set; }
        /// <summary>Number of nodes, walkable or not; nodes count from 0.</summary>
        public int Locations { get; private set; }
        public int TicksPerUnit { get; private set; }
        /// <summary>The effective recipe, as JSON.</summary>
        public string Recipe { get; private set; }
        public uint BakeRevision { get; private set; }
        /// <summary>Fingerprint of the asset, in hexadecimal.</summary>
        public string Fingerprint { get; private set; }
        public IReadOnlyList<string> Profiles { get; private set; }
        public IReadOnlyList<LevelTerrain> Terrains { get; private set; }
        public IReadOnlyList<Region> Regions { get; private set; }
        public IReadOnlyList<Spot> Spots { get; private set; }
        public IReadOnlyList<Link> Links { get; private set; }
        public IReadOnlyList<Door> Doors { get; private set; }

        internal readonly Columns C;
        internal readonly int Directions, Layout, Corners, Rule, Usual;
        internal readonly byte[] BakedTerrain;
        internal readonly int[] Head, Tail, First;
        internal readonly Dictionary<long, Price> BakedPrices = new Dictionary<long, Price>();
        internal readonly Nav[] Navs;
        internal readonly int[] Heading = { 2, 4, 8, 1, 6, 12, 9, 3 };
        private readonly int[] dx = { 1, 0, -1, 0, 1, -1, -1, 1, 1, 0, -1, 0, 1, -1, -1, 1 };
        private readonly int[] dy = { 0, 1, 0, -1, 1, 1, -1, -1, 0, 1, 0, -1, 1, 1, -1, -1 };
        private readonly bool byColumn;

        /// <summary>Opens a level from the bytes of a .bake file, after verifying them.</summary>
        /// <exception cref="LevelException">The bytes are not a .bake file, or are damaged.</exception>
        public static Level Open(byte[] bytes)
        {
            return new Level(new FlatFile(bytes));
        }

        /// <summary>Opens a level from bytes in other memory, such as a NativeArray.</summary>
        public static Level Open(ReadOnlySpan<byte> bytes)
        {
            return new Level(new FlatFile(bytes.ToArray()));
        }

        private Level(FlatFile file)
        {
            int[] n = file.Numbers(-1, 14);
            int kind = n[0], height = n[2];
            Directions = n[4];
            Layout = n[5];
            Corners = n[6];
            Rule = n[7];
            TicksPerUnit = n[8];
            Locations = n[9];
            Usual = n[13];
            Floors = n[3];
            bool grid = kind > 0;
            bool fits = kind >= 0 && kind <= 2 && Floors > 0 && Locations >= 0 && TicksPerUnit > 0;
            fits = fits && (kind == 0 ? Directions == 0 : kind == 1 ? Directions == 4 || Directions == 8 : Directions == 6);
            fits = fits && (kind == 2 ? Layout >= 1 && Layout <= 4 : Layout == 0);
            fits = fits && Corners >= 0 && Corners <= 2 && Rule >= 0 && Rule <= 1;
            fits = fits && n[11] >= 1 && n[11] <= 256 && n[12] >= 1 && Usual >= 0 && Usual < n[11];
            fits = fits && (!grid || (n[1] > 0 && height > 0 && (long)n[1] * height == Locations && height % Floors == 0));
            if (!fits) throw LevelException.Damaged("the numbers of the level contradict each other");
            Kind = (LevelKind)kind;
            Width = grid ? n[1] : 0;
            FloorRows = grid ? height / Floors : 0;
            var lengths = new Dictionary<char, long> { { 'L', Locations }, { 'T', n[11] }, { 'P', n[12] } };
            C = new Columns(file, Columns.Level, -1, lengths, grid, null);
            if (C.Has("step") && C.Length('S') != (Layout > 0 ? 3 : 2)) throw LevelException.Damaged("column step");
            if (C.Has("centre") && C.Length('F') != 1 && C.Length('F') != Floors) throw LevelException.Damaged("column centre");
            Name = C.Texts("name")[0];
            Recipe = C.Texts("recipe")[0];
            BakeRevision = file.Revision;
            Fingerprint = Hex(file.Bytes, 24, 32);
            Profiles = C.Texts("profile_name");
            BakedTerrain = C.Bytes("terrain");
            byColumn = Layout > 2;
            if (Layout > 0) LayOut();
            Head = (grid ? C.Ints("link_to") : C.Ints("head")) ?? new int[0];
            Tail = C.Ints("link_from") ?? new int[Head.Length];
            First = C.Ints("first_out");
            if (grid)
            {
                for (int j = 1; j < Tail.Length; j++)
                    if (Tail[j] < Tail[j - 1]) throw LevelException.Damaged("column link_from");
                int[] order;
                First = Head.Length > 0 ? ByEnd(Tail, Locations, out order) : null;
            }
            else
            {
                Tail = new int[Head.Length];
                for (int at = 0; at < Locations; at++)
                    for (int j = First[at]; j < First[at + 1]; j++) Tail[j] = at;
            }
            ReadThings();
            int[] from = C.Ints("price_from");
            for (int i = 0; from != null && i < from.Length; i++)
                BakedPrices[Key(from[i], C.Ints("price_to")[i])] =
                    new Price(C.Doubles("price_units")[i], C.Ints("price_ticks")[i]);
            Navs = new Nav[Profiles.Count];
            for (int i = 0; i < Navs.Length; i++) Navs[i] = new Nav(this, file, i, lengths);
        }

        internal static string Hex(byte[] bytes, int at, int count)
        {
            return BitConverter.ToString(bytes, at, count).Replace("-", "").ToLowerInvariant();
        }

        /// <summary>
        /// Returns the queries for one agent profile; the first profile by default. If the file has no
        /// next hops, queries search, and only one thread at a time may use the Nav.
        /// </summary>
        public Nav Profile(string name = null)
        {
            Nav nav = Navs[ProfileNumber(name)];
            return nav.HasHops ? nav : Follow().Profile(name);
        }

        internal int ProfileNumber(string name)
        {
            for (int i = 0; i < Navs.Length; i++)
                if (name == null || Profiles[i] == name) return i;
            throw new LevelException("no profile " + LevelException.Quoted(name) + ", expected " + string.Join(" or ", Profiles));
        }

        /// <summary>Returns a changeable view of the level, at first as baked.</summary>
        public Changes Follow()
        {
            return new Changes(this);
        }

        // -- places -------------------------------------------------------------------------------

        /// <summary>Sets dx and dy of the steps on hexagonal grids, by the parity of the line.</summary>
        private void LayOut()
        {
            int[] across = { 0, 1, 1, 0, -1, -1 };
            for (int parity = 0; parity < 2; parity++)
            {
                int s = parity == Layout % 2 ? 1 : 0;
                int[] along = { 1, s, s - 1, -1, s - 1, s };
                for (int m = 0; m < 6; m++)
                {
                    dx[parity * 8 + m] = byColumn ? -across[m] : along[m];
                    dy[parity * 8 + m] = byColumn ? along[m] : across[m];
                }
            }
            int[] headings = byColumn ? new[] { 4, 12, 9, 1, 3, 6 } : new[] { 2, 6, 12, 8, 9, 3 };
            headings.CopyTo(Heading, 0);
        }

        /// <summary>Returns the neighbor in direction m; -1 outside the floor.</summary>
        internal int Step(int at, int m)
        {
            int y = at / Width, x = at - y * Width;
            int i = Layout > 0 ? (((byColumn ? x : y) & 1) << 3) + m : m;
            int toX = x + dx[i], toY = y % FloorRows + dy[i];
            if (toX < 0 || toX >= Width || toY < 0 || toY >= FloorRows) return -1;
            return at + dy[i] * Width + dx[i];
        }

        /// <summary>Returns the offset of two cells in coordinates in which neighbors differ by at most one.</summary>
        internal void Chart(int from, int to, out int x, out int y)
        {
            int fromY = from / Width, toY = to / Width;
            int fromX = from - fromY * Width, toX = to - toY * Width;
            bool odd = (Layout & 1) == 1;
            if (byColumn)
            {
                fromY -= (fromX + (odd ? -(fromX & 1) : fromX & 1)) >> 1;
                toY -= (toX + (odd ? -(toX & 1) : toX & 1)) >> 1;
            }
            else if (Layout > 0)
            {
                fromX -= (fromY + (odd ? -(fromY & 1) : fromY & 1)) >> 1;
                toX -= (toY + (odd ? -(toY & 1) : toY & 1)) >> 1;
            }
            x = toX - fromX;
            y = toY - fromY;
        }

        internal bool Inside(int node)
        {
            return (uint)node < (uint)Locations;
        }

        internal static long Key(int from, int to)
        {
            return ((long)from << 32) | (uint)to;
        }

        /// <summary>Groups arcs by an end: those of node i are order[first[i]] to order[first[i + 1] - 1].</summary>
        internal static int[] ByEnd(int[] ends, int count, out int[] order)
        {
            var first = new int[count + 1];
            foreach (int end in ends) first[end + 1]++;
            for (int i = 0; i < count; i++) first[i + 1] += first[i];
            var place = (int[])first.Clone();
            order = new int[ends.Length];
            for (int j = 0; j < ends.Length; j++) order[place[ends[j]]++] = j;
            return first;
        }

        /// <summary>Returns the node at a cell, walkable or not; -1 outside the level.</summary>
        public int LocationOf(int x, int y, int floor = 0)
        {
            bool inside = x >= 0 && x < Width && y >= 0 && y < FloorRows && floor >= 0 && floor < Floors;
            return inside ? (floor * FloorRows + y) * Width + x : -1;
        }

        /// <summary>Returns the cell of a node; false on graphs, or if the node does not exist.</summary>
        public bool CellOf(int node, out int x, out int y, out int floor)
        {
            x = y = floor = 0;
            if (Width == 0 || !Inside(node)) return false;
            x = node % Width;
            y = node / Width % FloorRows;
            floor = node / Width / FloorRows;
            return true;
        }

        /// <summary>Returns the name of a graph's node; null if nodes have no names.</summary>
        public string NodeName(int node)
        {
            if (!Inside(node)) return null;
            if (C.Has("node_name")) return C.Texts("node_name")[node];
            var numbers = (long[])C.Any("node_number");
            return numbers == null ? null : numbers[node].ToString(CultureInfo.InvariantCulture);
        }

        /// <summary>Returns the node with a name; -1 if no node has it.</summary>
        public int NodeNamed(string name)
        {
            for (int node = 0; name != null && node < Locations; node++)
                if (NodeName(node) == name) return node;
            return -1;
        }

        /// <summary>The steps between cells in the plane, and the center of cell (0, 0) of a floor.</summary>
        internal double[] Way(int floor, out double left, out double top)
        {
            double longer = 2 / Math.Sqrt(3), even = Layout > 0 && (Layout & 1) == 0 ? 0.5 : 0;
            double[] way = { 1, 0, 0, 1, 0, 0 };
            left = top = 0.5;
            if (byColumn)
            {
                left = longer / 2;
                top = 0.5 + even;
                way = new[] { 0.75 * longer, 0, 0, 1, longer / 2, 0 };
            }
            else if (Layout > 0)
            {
                left = 0.5 + even;
                top = longer / 2;
                way = new[] { 1, 0, 0, 0.75 * longer, 0, longer / 2 };
            }
            double[] centre = C.Doubles("centre");
            if (centre == null) return way;
            int i = centre.Length > 2 ? 2 * floor : 0;
            left = centre[i];
            top = centre[i + 1];
            return C.Doubles("step");
        }

        private double Shift(double line)
        {
            return ((Layout & 1) == 1 ? 0.5 : -0.5) * Math.Abs(line % 2);
        }

        /// <summary>Returns the center of a node's cell, or the position of a graph's node; false if unknown.</summary>
        public bool ToPoint(int node, out double pointX, out double pointY)
        {
            pointX = pointY = double.NaN;
            int column, row, floor;
            if (!CellOf(node, out column, out row, out floor))
            {
                double[] position = C.Doubles("position");
                if (Width > 0 || position == null || !Inside(node)) return false;
                pointX = position[2 * node];
                pointY = position[2 * node + 1];
                return true;
            }
            double left, top, x = column, y = row;
            double[] way = Way(floor, out left, out top);
            if (byColumn) y += Shift(x);
            else if (Layout > 0) x += Shift(y);
            pointX = left + x * way[0] + y * way[2];
            pointY = top + x * way[1] + y * way[3];
            return true;
        }

        /// <summary>Returns the node whose cell contains a point, walkable or not; -1 outside the level.</summary>
        public int ToNode(double x, double y, int floor = 0)
        {
            if (LocationOf(0, 0, floor) < 0) return -1;
            double left, top, column, row;
            double[] w = Way(floor, out left, out top);
            if (byColumn) Hexagon(x - left, y - top, w[0], w[3], w[4], out column, out row);
            else if (Layout > 0) Hexagon(y - top, x - left, w[3], w[0], w[5], out row, out column);
            else
            {
                Square(x, y, floor, out column, out row);
                column = Math.Floor(column);
                row = Math.Floor(row);
            }
            bool inside = column >= 0 && column < Width && row >= 0 && row < FloorRows;
            return inside ? LocationOf((int)column, (int)row, floor) : -1;
        }

        /// <summary>Returns the column and row of a point, as fractions.</summary>
        internal void Square(double x, double y, int floor, out double column, out double row)
        {
            double left, top;
            double[] w = Way(floor, out left, out top);
            double u = x - (left - (w[0] + w[2]) / 2), v = y - (top - (w[1] + w[3]) / 2);
            double area = w[0] * w[3] - w[1] * w[2];
            bool plain = w[1] == 0 && w[2] == 0;
            column = plain ? u / w[0] : (u * w[3] - v * w[2]) / area;
            row = plain ? v / w[3] : (v * w[0] - u * w[1]) / area;
        }

        /// <summary>Returns the line and index of the hexagon that contains an offset.</summary>
        private void Hexagon(double across, double along, double pitch, double step, double side,
                             out double line, out double place)
        {
            double even = (Layout & 1) == 0 ? 1 : 0, least = double.PositiveInfinity;
            double first = 2 * Math.Floor((across - even * pitch + side / 2) / (2 * pitch)) + even;
            double middle = Math.Floor(along / step + 0.5 * even + 0.5);
            line = place = -1;
            for (int k = 0; k < 4; k++)
            {
                double l = first + ((k + 1) >> 1), p = middle - (k == 1 ? 1 : 0);
                double u = across - l * pitch, v = along - (p + Shift(l)) * step;
                double far = u * u + v * v;
                if (far >= least || double.IsNaN(far)) continue;
                line = l;
                place = p;
                least = far;
            }
        }

        // -- things -------------------------------------------------------------------------------

        private static T[] Part<T>(T[] values, int[] first, int i)
        {
            var found = new T[first[i + 1] - first[i]];
            Array.Copy(values, first[i], found, 0, found.Length);
            return found;
        }

        private string IdOf(string group, int i)
        {
            string[] ids = C.Texts(group + "_id");
            return ids == null ? "" : ids[i];
        }

        private string[] ProfilesOf(string group, int i)
        {
            return Part(C.Texts(group + "_profile"), C.Ints(group + "_first_profile"), i);
        }

        private T[] Things<T>(string group, Func<string, int, T> make)
        {
            string[] names = C.Texts(group + "_name") ?? new string[0];
            var found = new T[names.Length];
            for (int i = 0; i < names.Length; i++) found[i] = make(names[i], i);
            return found;
        }

        private void ReadThings()
        {
            byte[] colour = C.Bytes("terrain_colour");
            Terrains = Things("terrain", (name, i) => new LevelTerrain
            {
                Name = name,
                Red = colour[3 * i],
                Green = colour[3 * i + 1],
                Blue = colour[3 * i + 2],
            });
            Regions = Things("region", (name, i) => new Region
            {
                Name = name,
                Id = IdOf("region", i),
                Nodes = Part(C.Ints("region_cell"), C.Ints("region_first_cell"), i),
            });
            Spots = Things("spot", (name, i) => new Spot
            {
                Name = name,
                Id = IdOf("spot", i),
                Kind = C.Texts("spot_kind")[i],
                Node = C.Ints("spot_at")[i],
                Profiles = ProfilesOf("spot", i),
            });
            Links = Things("link", (name, i) => new Link
            {
                Name = name,
                Id = IdOf("link", i),
                Kind = C.Texts("link_kind")[i],
                From = C.Ints("link_start")[i],
                To = C.Ints("link_goal")[i],
                Cost = C.Doubles("link_cost")[i],
                BothWays = C.Bytes("link_both_ways")[i] == 1,
                Profiles = ProfilesOf("link", i),
            });
            Doors = Things("door", MakeDoor);
        }

        private Door MakeDoor(string name, int i)
        {
            int first = C.Ints("door_first_state")[i];
            int[] nodes = Part(C.Ints("door_cell"), C.Ints("door_first_cell"), i);
            string[] names = Part(C.Texts("door_state_name"), C.Ints("door_first_state"), i);
            var states = new DoorState[names.Length];
            for (int k = 0; k < states.Length; k++)
            {
                byte[] terrains = Part(C.Bytes("door_terrain"), C.Ints("door_first_terrain"), first + k);
                if (terrains.Length != nodes.Length) throw LevelException.Damaged("column door_terrain");
                states[k] = new DoorState { Name = names[k], Terrains = terrains };
            }
            int baked = C.Ints("door_state")[i] - first;
            bool known = baked >= 0 && baked < states.Length;
            return new Door { Name = name, Id = IdOf("door", i), Nodes = nodes, States = states, Baked = known ? baked : -1 };
        }
    }

    // -- one kind of agents -----------------------------------------------------------------------

    /// <summary>
    /// The queries for one agent profile, on the baked level, or, if returned by
    /// <see cref="Changes.Profile"/>, on the current level. Any number of threads may query a baked level,
    /// but only one thread at a time a changeable one.
    /// </summary>
    public class Nav
    {
        protected const int NoWay = 1 << 30;

        public Level Level { get; private set; }
        public string Name { get; private set; }
        /// <summary>Side length of the square footprint, in cells.</summary>
        public int Size { get; private set; }
        /// <summary>The nodes that the profile can stand on in the baked level.</summary>
        public ReadOnlySpan<int> Nodes { get { return places; } }

        internal readonly Columns C;
        internal readonly int Rows, Classes;
        internal readonly int[] RowAt;
        internal readonly bool HasHops;
        private readonly bool saysNone;
        private readonly int reachWidth;
        private readonly int[] places, component, parent, top, away, toward, stepTicks, weight;
        private readonly ushort[] classOf;
        private readonly byte[] reach;
        private readonly uint[] firstRun, firstLabel;
        private readonly Unsigned start, move, kind, greedy;
        private readonly uint none;

        internal Nav(Level level, FlatFile file, int number, Dictionary<char, long> known)
        {
            Level = level;
            Name = level.Profiles[number];
            int[] n = file.Numbers(number, 8);
            Rows = n[0];
            Size = n[4];
            Classes = n[5];
            saysNone = n[3] == 1;
            if (Rows < 0 || Rows > level.Locations || n[1] < 0 || Size < 1 || Size > 16 || Classes < 0)
                throw LevelException.Damaged("the numbers of a profile");
            reachWidth = (int)((n[1] + 7L) >> 3);
            var lengths = new Dictionary<char, long>(known) { { 'R', Rows }, { 'K', n[1] }, { 'C', Classes }, { 'b', reachWidth } };
            C = new Columns(file, Columns.Profile, number, lengths, level.Width > 0, level.C);
            RowAt = C.Ints("row_at");
            classOf = (ushort[])C.Any("class");
            component = C.Ints("component");
            reach = C.Bytes("reach");
            firstRun = C.UInts("first_run");
            start = new Unsigned(C.Any("run_start"));
            move = new Unsigned(C.Any("run_move"));
            kind = new Unsigned(C.Any("greedy_kind"));
            greedy = new Unsigned(C.Any("greedy_move"));
            parent = C.Ints("label_parent");
            top = C.Ints("label_top");
            firstLabel = C.UInts("first_label");
            away = C.Ints("label_away");
            toward = C.Ints("label_toward") ?? away;
            stepTicks = C.Ints("step_ticks");
            weight = C.Ints("weight");
            HasHops = start.Here;
            none = move.All;
            places = new int[Rows];
            Check();
        }

        /// <summary>Creates queries on the same tables for a changeable level.</summary>
        internal Nav(Nav baked)
        {
            Level = baked.Level;
            Name = baked.Name;
            Size = baked.Size;
            C = baked.C;
            Rows = baked.Rows;
            Classes = baked.Classes;
            RowAt = baked.RowAt;
            HasHops = baked.HasHops;
            places = baked.places;
            classOf = baked.classOf;
        }

        /// <summary>Verifies the constraints between elements of the tables.</summary>
        private void Check()
        {
            for (int i = 0; i < Rows; i++) places[i] = -1;
            int count = 0;
            for (int at = 0; at < RowAt.Length; at++)
            {
                if (RowAt[at] < 0) continue;
                if (places[RowAt[at]] >= 0) throw LevelException.Damaged("column row_at");
                places[RowAt[at]] = at;
                count++;
            }
            if (count != Rows) throw LevelException.Damaged("column row_at");
            for (int row = 0; row < Rows; row++)
            {
                if (start.Here)
                {
                    long last = -1;
                    for (uint i = firstRun[row]; i < firstRun[row + 1]; i++)
                    {
                        uint next = start[(int)i];
                        if (next <= last || (last < 0 && next != 0) || next >= Rows)
                            throw LevelException.Damaged("column run_start");
                        last = next;
                    }
                }
                if (parent != null)
                {
                    int above = parent[row] < 0 ? -1 : Depth(parent[row]);
                    if (Depth(row) != above + 1 || Depth(top[row]) > Depth(row))
                        throw LevelException.Damaged("columns of labels");
                }
            }
        }

        /// <summary>Returns whether the profile can stand on a node.</summary>
        public virtual bool Stands(int node)
        {
            return Level.Inside(node) && RowAt[node] >= 0;
        }

        /// <summary>Returns the node at a cell; -1 if the profile cannot stand there.</summary>
        public int NodeAt(int x, int y, int floor = 0)
        {
            int at = Level.LocationOf(x, y, floor);
            return Stands(at) ? at : -1;
        }

        /// <summary>Returns the next node on a shortest path; `from` when already there; -1 if unreachable.</summary>
        public virtual int NextHop(int from, int to)
        {
            if (!Level.Inside(from) || !Level.Inside(to)) return -1;
            int row = RowAt[from], goal = RowAt[to];
            if (row < 0 || goal < 0) return -1;
            if (row == goal) return from;
            int m = MoveOf(row, goal, from, to);
            return m < 0 ? -1 : Target(from, m);
        }

        /// <summary>Writes the next hops of many pairs.</summary>
        public void NextHops(ReadOnlySpan<int> from, ReadOnlySpan<int> to, Span<int> hops)
        {
            if (to.Length < from.Length || hops.Length < from.Length)
                throw new LevelException(from.Length + " nodes to start from, but " + to.Length + " goals and room for " + hops.Length + " hops");
            for (int i = 0; i < from.Length; i++) hops[i] = NextHop(from[i], to[i]);
        }

        /// <summary>Writes the next hop of every node toward one goal; -1 if unreachable or not walkable.</summary>
        /// <param name="hops">Buffer of Level.Locations elements.</param>
        public virtual void HopsTo(int goal, Span<int> hops)
        {
            CheckRoom(hops);
            hops.Fill(-1);
            foreach (int at in places) hops[at] = NextHop(at, goal);
        }

        internal void CheckRoom(Span<int> hops)
        {
            if (hops.Length < Level.Locations)
                throw new LevelException("room for " + hops.Length + " hops, expected Level.Locations: " + Level.Locations);
        }

        /// <summary>Returns the move from one row toward another; -1 without a path.</summary>
        internal int MoveOf(int row, int goal, int from, int to)
        {
            if (!saysNone && !Joined(row, goal)) return -1;
            uint low = firstRun[row], length = firstRun[row + 1] - low;
            while (length > 1)
            {
                uint half = length >> 1;
                if (start[(int)(low + half)] <= goal) low += half;
                length -= half;
            }
            uint m = move[(int)low];
            if (m == none - 1)
            {
                if (!kind.Here) throw LevelException.Damaged("column greedy_kind");
                int x, y;
                Level.Chart(from, to, out x, out y);
                int sector = (Math.Sign(x) + 1) * 3 + Math.Sign(y) + 1;
                m = greedy[(int)kind[row] * 18 + 2 * sector + (Math.Abs(y) > Math.Abs(x) ? 1 : 0)];
                if (m == greedy.All) return -1;
            }
            return m == none ? -1 : (int)m;
        }

        /// <summary>Returns the node that a move leads to; throws if there is none.</summary>
        internal int Target(int at, int m)
        {
            int head = -1;
            if (m >= 0 && m < Level.Directions) head = Level.Step(at, m);
            else if (Level.First != null && m >= 0)
            {
                int j = m - Level.Directions;
                if (j < Level.First[at + 1] - Level.First[at]) head = Level.Head[Level.First[at] + j];
            }
            if (head < 0 || RowAt[head] < 0) throw LevelException.Damaged("a next hop leads nowhere");
            return head;
        }

        private bool Joined(int row, int goal)
        {
            if (component == null) return true;
            int a = component[row], b = component[goal];
            if (a == b) return true;
            return reach != null && (reach[a * reachWidth + (b >> 3)] >> (7 - (b & 7)) & 1) == 1;
        }

        /// <summary>
        /// Writes the nodes of a shortest path, both ends included, as many as fit, and
        /// returns the number of nodes of the whole path; 0 if unreachable.
        /// </summary>
        public int Path(int from, int to, Span<int> nodes)
        {
            int next = NextHop(from, to), count = 0;
            if (next < 0) return 0;
            for (int at = from; ; at = next, next = NextHop(at, to))
            {
                if (next < 0 || count > Level.Locations) throw LevelException.Damaged("a path never ends");
                if (count < nodes.Length) nodes[count] = at;
                count++;
                if (at == to) return count;
            }
        }

        /// <summary>Writes the nodes of a shortest path to a list, which is cleared first.</summary>
        public int Path(int from, int to, List<int> nodes)
        {
            if (nodes == null) throw new LevelException("expected a list of nodes, found null");
            nodes.Clear();
            int next = NextHop(from, to);
            if (next < 0) return 0;
            for (int at = from; ; at = next, next = NextHop(at, to))
            {
                if (next < 0 || nodes.Count > Level.Locations) throw LevelException.Damaged("a path never ends");
                nodes.Add(at);
                if (at == to) return nodes.Count;
            }
        }

        /// <summary>Returns the cost of a shortest path in units; infinity if unreachable.</summary>
        public virtual double Distance(int from, int to)
        {
            if (!Level.Inside(from) || !Level.Inside(to)) return double.PositiveInfinity;
            int row = RowAt[from], goal = RowAt[to];
            if (row < 0 || goal < 0) return double.PositiveInfinity;
            long ticks = row == goal ? 0 : away != null ? ByLabels(row, goal) : ByPath(from, to);
            return ticks >= Prices.Blocked ? double.PositiveInfinity : (double)ticks / Level.TicksPerUnit;
        }

        private long ByPath(int from, int to)
        {
            long total = 0;
            int goal = RowAt[to], steps = 0;
            for (int at = from; at != to; steps++)
            {
                int next = NextHop(at, to);
                if (next < 0) return Prices.Blocked;
                if (steps > Rows) throw LevelException.Damaged("a path leads in circles");
                total += BakedPrice(at, MoveOf(RowAt[at], goal, at, to), next);
                at = next;
            }
            return total;
        }

        /// <summary>Returns the baked cost of a move in ticks.</summary>
        private long BakedPrice(int at, int m, int head)
        {
            Price own;
            if (Level.BakedPrices.Count > 0 && Level.BakedPrices.TryGetValue(Level.Key(at, head), out own)) return own.Ticks;
            if (Level.Width == 0) return weight[Level.First[at] + m];
            if (m >= Level.Directions) return Level.C.Ints("link_ticks")[Level.First[at] + m - Level.Directions];
            int a = BakedClass(at), b = BakedClass(head);
            int ticks = Prices.Blocked;
            if (a < Classes && b < Classes)
                ticks = stepTicks[((m > 3 && Level.Directions == 8 ? Classes : 0) + a) * Classes + b];
            if (ticks == Prices.Blocked) throw LevelException.Damaged("a next hop leads where no step does");
            return ticks;
        }

        private int BakedClass(int at)
        {
            int most = classOf[Level.BakedTerrain[at]];
            for (int i = 1; i < Size * Size; i++)
            {
                long cell = (long)at + i / Size * Level.Width + i % Size;
                if (cell >= Level.Locations) return Prices.NoClass;
                most = Math.Max(most, classOf[Level.BakedTerrain[cell]]);
            }
            return most;
        }

        private int Depth(int row)
        {
            return (int)(firstLabel[row + 1] - firstLabel[row] - 1);
        }

        private long ByLabels(int row, int goal)
        {
            int one = row, other = goal;
            while (top[one] != top[other])
            {
                if (Depth(top[one]) < Depth(top[other]))
                {
                    int swap = one;
                    one = other;
                    other = swap;
                }
                one = parent[top[one]];
                if (one < 0) return Prices.Blocked;
            }
            long least = NoWay;
            for (int k = Math.Min(Depth(one), Depth(other)); k >= 0; k--)
                least = Math.Min(least, (long)away[firstLabel[row] + k] + toward[firstLabel[goal] + k]);
            return least < NoWay ? least : Prices.Blocked;
        }

        /// <summary>Returns whether the tables contain reachability.</summary>
        internal bool Tells { get { return HasHops || !saysNone || reach != null; } }

        /// <summary>Returns whether a path exists.</summary>
        public virtual bool Reachable(int from, int to)
        {
            if (!Level.Inside(from) || !Level.Inside(to)) return false;
            int row = RowAt[from], goal = RowAt[to];
            if (row < 0 || goal < 0) return false;
            return Joined(row, goal) || (saysNone && reach == null && NextHop(from, to) >= 0);
        }

        /// <summary>
        /// Returns the node that contains a point if walkable, otherwise the nearest walkable node; ties go to
        /// the first node; -1 if there is none.
        /// </summary>
        public int Nearest(double x, double y, int floor = 0)
        {
            x = Clamped(x);
            y = Clamped(y);
            int found = -1;
            double least = double.PositiveInfinity;
            double[] position = Level.C.Doubles("position");
            if (Level.Width == 0)
            {
                for (int at = 0; position != null && at < Level.Locations; at++)
                    Look(at, position[2 * at] - x, position[2 * at + 1] - y, ref found, ref least);
                return found;
            }
            if (Level.LocationOf(0, 0, floor) < 0 || double.IsNaN(x) || double.IsNaN(y)) return -1;
            int own = Level.ToNode(x, y, floor), start = Level.LocationOf(0, 0, floor);
            if (own >= 0 && Stands(own)) return own;
            if (Level.Layout > 0)
            {
                double left, top, shift = (Level.Layout & 1) == 1 ? 0.5 : -0.5;
                double[] w = Level.Way(floor, out left, out top);
                x = Clamped((x - left) / w[0]);
                y = Clamped((y - top) / w[3]);
                for (int at = 0; at < Level.FloorRows * Level.Width; at++)
                {
                    int row = at / Level.Width, column = at - row * Level.Width;
                    double east = column + (Level.Layout <= 2 ? shift * (row & 1) : 0);
                    double south = row + (Level.Layout > 2 ? shift * (column & 1) : 0);
                    Look(start + at, (east - x) * w[0], (south - y) * w[3], ref found, ref least);
                }
                return found;
            }
            Level.Square(x, y, floor, out x, out y);
            x = Clamped(x - 0.5);
            y = Clamped(y - 0.5);
            int middle = (int)Math.Min(Math.Max(Math.Round(y), 0), Level.FloorRows - 1);
            for (int way = -1; way <= 1; way += 2)
            {
                for (int row = middle; row >= 0 && row < Level.FloorRows; row += way)
                {
                    if ((row - y) * (row - y) > least) break;
                    int at = Level.LocationOf(0, row, floor);
                    for (int column = 0; column < Level.Width; column++)
                        Look(at + column, column - x, row - y, ref found, ref least);
                }
            }
            return found;
        }

        private static double Clamped(double value)
        {
            const double Far = 1099511627776.0;
            return Math.Min(Math.Max(value, -Far), Far);
        }

        private void Look(int at, double dx, double dy, ref int found, ref double least)
        {
            double far = dx * dx + dy * dy;
            if (far > least || (far == least && at >= found) || double.IsNaN(far) || !Stands(at)) return;
            found = at;
            least = far;
        }
    }

    // -- levels that change -----------------------------------------------------------------------

    internal readonly struct Price
    {
        internal readonly double Units;
        internal readonly int Ticks;

        internal Price(double units, int ticks)
        {
            Units = units;
            Ticks = ticks;
        }
    }

    /// <summary>A level state: terrain, obstacles and costs of single arcs.</summary>
    internal sealed class Ground
    {
        internal byte[] Terrain;
        internal bool[] Obstacle;
        internal Dictionary<long, Price> Prices;
    }

    /// <summary>Computes the costs of one profile's arcs by the rules of the bake.</summary>
    internal sealed class Prices
    {
        internal const int Blocked = int.MaxValue, MaxWeight = 1 << 29, NoClass = ushort.MaxValue;

        private static readonly int[] Flanks = { 0, 1, 2, 1, 2, 3, 0, 3 };
        private readonly Level level;
        private readonly int size, classes, terrains;
        private readonly ushort[] classOf;
        private readonly int[] stepTicks, weight, linkTicks;
        private readonly byte[] enter, barred, linkOpen;
        private readonly double[] cost, length, slope, elevation;

        internal Prices(Nav nav)
        {
            level = nav.Level;
            size = nav.Size;
            classes = nav.Classes;
            terrains = level.Terrains.Count;
            classOf = (ushort[])nav.C.Any("class");
            stepTicks = nav.C.Ints("step_ticks");
            weight = nav.C.Ints("weight");
            enter = nav.C.Bytes("may_enter");
            linkOpen = nav.C.Bytes("link_open");
            cost = nav.C.Doubles("cost");
            barred = level.Width > 0 ? level.C.Bytes("barred") : null;
            linkTicks = level.C.Ints("link_ticks");
            length = level.C.Doubles("length");
            elevation = level.C.Doubles("elevation");
            slope = elevation == null ? null : nav.C.Doubles("slope");
        }

        /// <summary>The costs in ticks of the cheapest straight step, and of the cheapest diagonal move.</summary>
        internal void Cheapest(out long straight, out long diagonal)
        {
            straight = diagonal = Blocked;
            int half = classes * classes;
            for (int i = 0; i < half; i++) straight = Math.Min(straight, stepTicks[i]);
            for (int i = half; level.Directions == 8 && i < 2 * half; i++) diagonal = Math.Min(diagonal, stepTicks[i]);
            diagonal = Math.Min(diagonal, 2 * straight);
        }

        internal bool Solid(int terrain)
        {
            return classOf[terrain] == NoClass;
        }

        /// <summary>Returns the highest class under the footprint; NoClass if it does not fit.</summary>
        internal int ClassAt(int at, Ground ground)
        {
            if (size == 1) return ground.Obstacle[at] ? NoClass : classOf[ground.Terrain[at]];
            int y = at / level.Width, x = at - y * level.Width;
            if (x + size > level.Width || y % level.FloorRows + size > level.FloorRows) return NoClass;
            int most = 0;
            for (int down = 0; down < size; down++)
            {
                for (int cell = at + down * level.Width; cell < at + down * level.Width + size; cell++)
                    most = Math.Max(most, ground.Obstacle[cell] ? NoClass : classOf[ground.Terrain[cell]]);
            }
            return most;
        }

        /// <summary>Returns whether terrain and ledges allow the whole footprint to step.</summary>
        private bool MayStep(int tail, int head, int bits, byte[] terrain)
        {
            if (enter == null && barred == null) return true;
            for (int i = 0; i < size * size; i++)
            {
                int away = i / size * level.Width + i % size, a = tail + away, b = head + away;
                if (enter != null && enter[terrain[a] * terrains + terrain[b]] == 0) return false;
                if (barred != null && ((barred[a] | barred[b]) & bits) != 0) return false;
            }
            return true;
        }

        private int StepPrice(int at, int m, int head, Ground ground)
        {
            int a = ClassAt(at, ground), b = ClassAt(head, ground), bits = level.Heading[m];
            if (a == NoClass || b == NoClass || !MayStep(at, head, bits, ground.Terrain)) return Blocked;
            bool diagonal = m > 3 && level.Directions == 8;
            if (diagonal && level.Corners < 2)
            {
                int free = 0;
                for (int i = 2 * (m - 4); i < 2 * (m - 3); i++)
                {
                    int side = level.Step(at, Flanks[i]), part = level.Heading[Flanks[i]];
                    bool walks = ClassAt(side, ground) != NoClass
                        && MayStep(at, side, part, ground.Terrain)
                        && MayStep(side, head, bits & ~part, ground.Terrain)
                        && (barred == null || (barred[side] & bits) == 0);
                    if (walks) free++;
                }
                if (free == 0 || (free == 1 && level.Corners == 0)) return Blocked;
            }
            return stepTicks[((diagonal ? classes : 0) + a) * classes + b];
        }

        /// <summary>Returns the additional cost of a graph arc's slope in units; infinity if too steep.</summary>
        private double SlopeOf(int at, int head)
        {
            double rise = slope == null ? 0 : elevation[head] - elevation[at];
            if (rise == 0) return 0;
            if (!(rise <= slope[2] && -rise <= slope[3])) return double.PositiveInfinity;
            return rise > 0 ? slope[0] * rise : slope[1] * -rise;
        }

        /// <summary>Returns the cost of a graph arc or a link in ticks.</summary>
        private int ArcPrice(int j, int at, int head, Ground ground)
        {
            if (level.C.Has("cell")) return weight[j]; // Nothing changes there, and nothing else says what it costs.
            if (ClassAt(at, ground) == NoClass || ClassAt(head, ground) == NoClass) return Blocked;
            if (level.Width > 0) return linkOpen[j] != 0 ? linkTicks[j] : Blocked;
            byte[] now = ground.Terrain, baked = level.BakedTerrain;
            if (!MayStep(at, head, 0, now)) return Blocked;
            if (now[at] == baked[at] && now[head] == baked[head]
                && (ground.Prices == level.BakedPrices || !level.BakedPrices.ContainsKey(Level.Key(at, head))))
                return weight[j];
            double after = cost[now[head]];
            double unit = level.Rule == 1 ? after : (cost[now[at]] + after) / 2;
            double units = unit * length[j] + SlopeOf(at, head);
            double ticks = Math.Round(units * level.TicksPerUnit, MidpointRounding.ToEven);
            return ticks >= 1 && ticks <= MaxWeight ? (int)ticks : Blocked;
        }

        /// <summary>Returns the cost in ticks of direction m, or of arc j if not negative.</summary>
        internal int Of(int at, int m, int head, int j, Ground ground)
        {
            int ticks = j < 0 ? StepPrice(at, m, head, ground) : ArcPrice(j, at, head, ground);
            if (ticks == Blocked || ground.Prices.Count == 0) return ticks;
            Price own;
            return ground.Prices.TryGetValue(Level.Key(at, head), out own) ? own.Ticks : ticks;
        }

        /// <summary>Returns the cost of a move of the tables in ticks.</summary>
        internal int OfMove(int at, int m, int head, Ground ground)
        {
            return Of(at, m, head, m < level.Directions ? -1 : level.First[at] + m - level.Directions, ground);
        }
    }

    /// <summary>
    /// Distances and next hops toward one goal, by backward A* on demand. Results do not depend on the
    /// order of queries.
    /// </summary>
    internal sealed class Field
    {
        internal int Goal = -1, Version = -1;
        internal readonly long[] Ticks;
        private readonly int[] next;
        private readonly byte[] done; // 1: the distance is known; 2: and led on from
        private readonly Changes changes;
        private readonly Prices prices;
        private readonly Level level;
        private readonly int[] opposite;
        private int[] nodes = new int[256], spare = new int[256];
        private double[] keys = new double[256];
        private int count, aim;
        private long straight, diagonal;
        private bool plain;

        internal Field(Changes changes, Prices prices)
        {
            this.changes = changes;
            this.prices = prices;
            level = changes.Level;
            Ticks = new long[level.Locations];
            next = new int[level.Locations];
            done = new byte[level.Locations];
            opposite = level.Layout > 0 ? new[] { 3, 4, 5, 0, 1, 2 } : new[] { 2, 3, 0, 1, 6, 7, 4, 5 };
        }

        internal void Begin(int goal, int version)
        {
            Goal = goal;
            Version = version;
            for (int at = 0; at < next.Length; at++)
            {
                Ticks[at] = long.MaxValue;
                next[at] = -1;
                done[at] = 0;
            }
            plain = level.Width > 0 && level.Head.Length == 0 && changes.Now.Prices.Count == 0;
            if (plain) prices.Cheapest(out straight, out diagonal);
            Ticks[goal] = 0;
            next[goal] = goal;
            nodes[0] = goal;
            keys[0] = 0;
            count = 1;
            aim = -1;
        }

        /// <summary>Returns a lower bound of the distance between two cells in ticks.</summary>
        private long Estimate(int from, int to)
        {
            if (from < 0 || !plain) return 0;
            int x, y;
            level.Chart(from, to, out x, out y);
            long dx = Math.Abs(x), dy = Math.Abs(y);
            if (level.Layout > 0) return Math.Max(Math.Max(dx, dy), Math.Abs(x + y)) * straight;
            return Math.Abs(dx - dy) * straight + Math.Min(dx, dy) * diagonal;
        }

        /// <summary>Adds a node to the open list; ties go to the node farthest from the goal.</summary>
        private void Push(int at)
        {
            if (count == nodes.Length)
            {
                Array.Resize(ref nodes, 2 * count);
                Array.Resize(ref keys, 2 * count);
            }
            double key = Ticks[at] + Estimate(aim, at) - Math.Min(Ticks[at] / 4294967296.0, 0.5);
            int i = count++;
            for (int up; i > 0 && keys[up = (i - 1) >> 1] > key; i = up)
            {
                nodes[i] = nodes[up];
                keys[i] = keys[up];
            }
            nodes[i] = at;
            keys[i] = key;
        }

        private int Pop()
        {
            int found = nodes[0], at = nodes[--count], i = 0;
            double key = keys[count];
            for (int down; (down = 2 * i + 1) < count; i = down)
            {
                if (down + 1 < count && keys[down + 1] < keys[down]) down++;
                if (keys[down] >= key) break;
                nodes[i] = nodes[down];
                keys[i] = keys[down];
            }
            nodes[i] = at;
            keys[i] = key;
            return found;
        }

        internal bool Knows(int node) { return node >= 0 && done[node] > 0; }

        /// <summary>Searches until the distance of a node is final; -1 = of all nodes.</summary>
        internal void Settle(int from)
        {
            if (Knows(from)) return;
            AimAt(from);
            while (count > 0 && !Knows(from)) Expand();
        }

        /// <summary>
        /// Sets the node that the heuristic aims at, and rebuilds the open list, unless the new node may be
        /// on a shortest path from the current one. Returns the slack to add to keys in that case.
        /// </summary>
        private long AimAt(int from)
        {
            long away = aim < 0 ? 0 : Estimate(from, aim);
            if (aim >= 0 && from >= 0 && Ticks[from] < long.MaxValue && Ticks[from] + away <= Ticks[aim]) return away;
            aim = from;
            if (spare.Length < count) spare = new int[nodes.Length];
            int open = count;
            Array.Copy(nodes, spare, open);
            count = 0;
            for (int i = 0; i < open; i++) if (done[spare[i]] < 2) Push(spare[i]);
            return 0;
        }

        /// <summary>Expands the node with the lowest key.</summary>
        private void Expand()
        {
            int at = Pop();
            if (done[at] == 2) return;
            done[at] = 2;
            for (int m = 0; m < level.Directions; m++)
            {
                int tail = level.Step(at, opposite[m]);
                if (tail >= 0 && done[tail] == 0) Relax(tail, at, prices.Of(tail, m, at, -1, changes.Now));
            }
            for (int i = changes.FirstInto == null ? 1 : changes.FirstInto[at]; changes.FirstInto != null && i < changes.FirstInto[at + 1]; i++)
            {
                int j = changes.Into[i], tail = level.Tail[j];
                if (done[tail] == 0) Relax(tail, at, prices.Of(tail, 0, at, j, changes.Now));
            }
        }

        private void Relax(int tail, int at, int price)
        {
            if (price == Prices.Blocked || Ticks[at] + price >= Ticks[tail]) return;
            Ticks[tail] = Ticks[at] + price;
            Push(tail);
        }

        /// <summary>Returns the baked next node if it starts a shortest path, else the first; -1: none.</summary>
        internal int Hop(int from, int baked)
        {
            Settle(from);
            if (done[from] == 0 || next[from] >= 0) return next[from];
            int first = level.First == null ? 0 : level.First[from];
            int moves = level.Directions + (level.First == null ? 0 : level.First[from + 1] - first);
            for (int any = baked < 0 ? 1 : 0; any < 2; any++)
            {
                for (int m = 0; m < moves; m++)
                {
                    int j = m < level.Directions ? -1 : first + m - level.Directions;
                    int head = j < 0 ? level.Step(from, m) : level.Head[j];
                    if (head < 0 || (any == 0 && head != baked)) continue;
                    int price = prices.Of(from, m, head, j, changes.Now);
                    if (price == Prices.Blocked || !IsTight(from, head, price)) continue;
                    if (done[head] == 0) done[head] = 1;
                    return next[from] = head;
                }
            }
            return -1;
        }

        /// <summary>Returns whether an arc starts a shortest path; searches while an open node may be on one.</summary>
        private bool IsTight(int from, int head, int price)
        {
            long left = Ticks[from] - price;
            while (Ticks[head] > left && done[head] == 0 && count > 0 && keys[0] <= Ticks[from] + Estimate(from, aim))
            {
                long away = AimAt(from);
                if (keys[0] > Ticks[from] + away) break;
                Expand();
            }
            return Ticks[head] == left;
        }
    }

    /// <summary>One batch of changes, applied completely or not at all.</summary>
    public sealed class Update
    {
        internal readonly List<int> Blocked = new List<int>(), Opened = new List<int>();
        internal readonly List<KeyValuePair<int, int>> Terrains = new List<KeyValuePair<int, int>>();
        internal readonly List<KeyValuePair<long, double?>> Prices = new List<KeyValuePair<long, double?>>();

        /// <summary>Blocks a node with an obstacle, for all profiles.</summary>
        public Update Block(int node)
        {
            Blocked.Add(node);
            return this;
        }

        /// <summary>Removes an obstacle. Unwalkable terrain becomes the most common walkable one.</summary>
        public Update Open(int node)
        {
            Opened.Add(node);
            return this;
        }

        /// <summary>Changes the terrain of a node; the terrain is an index of Level.Terrains.</summary>
        public Update Terrain(int node, int terrain)
        {
            Terrains.Add(new KeyValuePair<int, int>(node, terrain));
            return this;
        }

        /// <summary>Changes the cost of an arc in units; infinity closes it, null restores the usual cost.</summary>
        public Update Price(int from, int to, double? units)
        {
            Prices.Add(new KeyValuePair<long, double?>(Level.Key(from, to), units));
            return this;
        }
    }

    /// <summary>A changeable view of a level. After an update returns, all answers match a fresh bake.</summary>
    public sealed class Changes
    {
        public Level Level { get; private set; }
        /// <summary>Whether the level differs from the baked one.</summary>
        public bool Changed { get; private set; }

        internal readonly Ground Baked, Now;
        internal readonly int[] FirstInto, Into;
        internal int Version;
        private readonly LiveNav[] navs;
        private readonly int[] last;
        private int differing;

        internal Changes(Level level)
        {
            Level = level;
            Baked = new Ground { Terrain = level.BakedTerrain, Obstacle = new bool[level.Locations], Prices = level.BakedPrices };
            Now = new Ground();
            if (level.Head.Length > 0) FirstInto = Level.ByEnd(level.Head, level.Locations, out Into);
            last = new int[level.Doors.Count];
            navs = new LiveNav[level.Navs.Length];
            for (int i = 0; i < navs.Length; i++) navs[i] = new LiveNav(this, level.Navs[i]);
            Reset();
        }

        /// <summary>Returns the queries for one agent profile on the current level.</summary>
        public Nav Profile(string name = null)
        {
            return navs[Level.ProfileNumber(name)];
        }

        /// <summary>Restores the baked level.</summary>
        public void Reset()
        {
            Now.Terrain = (byte[])Baked.Terrain.Clone();
            Now.Obstacle = new bool[Level.Locations];
            Now.Prices = new Dictionary<long, Price>(Baked.Prices);
            for (int i = 0; i < last.Length; i++) last[i] = Level.Doors[i].Baked;
            foreach (LiveNav nav in navs) nav.Cheaper = 0;
            differing = 0;
            Changed = false;
            Version++;
        }

        /// <summary>Returns a node.s current terrain, as an index of Level.Terrains; -1 if it does not exist.</summary>
        public int TerrainAt(int node)
        {
            return Level.Inside(node) ? Now.Terrain[node] : -1;
        }

        public bool HasObstacle(int node)
        {
            return Level.Inside(node) && Now.Obstacle[node];
        }

        public void Block(int node) { Apply(new Update().Block(node)); }

        public void Open(int node) { Apply(new Update().Open(node)); }

        public void SetTerrain(int node, int terrain) { Apply(new Update().Terrain(node, terrain)); }

        public void SetPrice(int from, int to, double? units) { Apply(new Update().Price(from, to, units)); }

        private int Place(int node)
        {
            if (!Level.Inside(node)) throw new LevelException("there is no node " + node);
            return node;
        }

        private int Terrain(int terrain)
        {
            if (terrain < 0 || terrain >= Level.Terrains.Count) throw new LevelException("there is no terrain " + terrain);
            return terrain;
        }

        private Price PriceOf(double units)
        {
            double ticks = Math.Round(units * Level.TicksPerUnit, MidpointRounding.ToEven);
            if (double.IsPositiveInfinity(units)) return new Price(units, Prices.Blocked);
            if (!(ticks >= 1 && ticks <= Prices.MaxWeight))
                throw new LevelException("an arc cannot cost " + units.ToString("R", CultureInfo.InvariantCulture));
            return new Price(units, (int)ticks);
        }

        /// <summary>Throws unless a step or another arc connects two nodes.</summary>
        private long Arc(int from, int to)
        {
            bool joined = false;
            for (int m = 0; m < Level.Directions; m++) joined = joined || Level.Step(Place(from), m) == Place(to);
            for (int j = Level.First == null ? 0 : Level.First[Place(from)]; Level.First != null && j < Level.First[from + 1]; j++)
                joined = joined || Level.Head[j] == to;
            if (!joined) throw new LevelException("no arc leads from " + from + " to " + to);
            return Level.Key(from, to);
        }

        /// <summary>Applies a batch of changes, completely or not at all.</summary>
        /// <exception cref="LevelException">A node, terrain or arc does not exist.</exception>
        public void Apply(Update update)
        {
            if (update == null) throw new LevelException("expected an update, found null");
            CheckCells();
            var nodes = new HashSet<int>();
            foreach (int at in update.Blocked) nodes.Add(Place(at));
            foreach (int at in update.Opened)
                if (!nodes.Contains(Place(at))) continue;
                else throw new LevelException("node " + at + " is both blocked and opened");
            foreach (int at in update.Opened) nodes.Add(at);
            foreach (KeyValuePair<int, int> pair in update.Terrains)
            {
                Terrain(pair.Value);
                nodes.Add(Place(pair.Key));
            }
            var arcs = new List<long>();
            foreach (KeyValuePair<long, double?> pair in update.Prices)
            {
                arcs.Add(Arc((int)(pair.Key >> 32), (int)pair.Key));
                if (pair.Value.HasValue) PriceOf(pair.Value.Value);
            }
            Count(nodes, arcs, () =>
            {
                foreach (int at in update.Blocked) Now.Obstacle[at] = true;
                foreach (int at in update.Opened) OpenNow(at);
                foreach (KeyValuePair<int, int> pair in update.Terrains) Now.Terrain[pair.Key] = (byte)pair.Value;
                foreach (KeyValuePair<long, double?> pair in update.Prices)
                {
                    if (pair.Value.HasValue) Now.Prices[pair.Key] = PriceOf(pair.Value.Value);
                    else Now.Prices.Remove(pair.Key);
                }
            });
        }

        /// <summary>Throws if cells are nodes in the file, which has no movement rules then.</summary>
        private void CheckCells()
        {
            if (Level.C.Has("cell"))
                throw new LevelException("cells are nodes in this file, which lacks the rules of their steps: change the asset instead");
        }

        private void OpenNow(int at)
        {
            bool solid = true;
            foreach (LiveNav nav in navs) solid = solid && nav.Prices.Solid(Now.Terrain[at]);
            Now.Obstacle[at] = false;
            if (solid) Now.Terrain[at] = (byte)Level.Usual;
        }

        /// <summary>Applies a change of nodes and arcs, and counts differences and cheaper arcs.</summary>
        private void Count(HashSet<int> nodes, List<long> arcs, Action change)
        {
            var near = new HashSet<int>[navs.Length];
            for (int i = 0; i < navs.Length; i++)
            {
                near[i] = navs[i].Touched(nodes, arcs);
                navs[i].Cheaper -= navs[i].CountCheaper(near[i]);
            }
            differing -= Differing(nodes);
            change();
            differing += Differing(nodes);
            for (int i = 0; i < navs.Length; i++) navs[i].Cheaper += navs[i].CountCheaper(near[i]);
            bool repriced = Now.Prices.Count != Baked.Prices.Count;
            foreach (KeyValuePair<long, Price> pair in Now.Prices)
            {
                Price baked;
                repriced = repriced || !Baked.Prices.TryGetValue(pair.Key, out baked) || !baked.Units.Equals(pair.Value.Units);
            }
            Changed = differing > 0 || repriced;
            for (int i = 0; i < last.Length; i++)
            {
                int state = StateOf(i);
                if (state >= 0) last[i] = state;
            }
            Version++;
        }

        private int Differing(HashSet<int> nodes)
        {
            int count = 0;
            foreach (int at in nodes)
                if (Now.Obstacle[at] || Now.Terrain[at] != Baked.Terrain[at]) count++;
            return count;
        }

        // -- doors --------------------------------------------------------------------------------

        private bool IsIn(Door door, int state)
        {
            for (int k = 0; k < door.Nodes.Length; k++)
                if (Now.Terrain[door.Nodes[k]] != door.States[state].Terrains[k]) return false;
            return true;
        }

        private int StateOf(int i)
        {
            Door door = Level.Doors[i];
            if (last[i] >= 0 && IsIn(door, last[i])) return last[i];
            for (int k = 0; k < door.States.Length; k++) if (IsIn(door, k)) return k;
            return -1;
        }

        private int DoorNumber(string name)
        {
            for (int i = 0; i < last.Length; i++) if (Level.Doors[i].Name == name) return i;
            throw new LevelException("there is no door " + LevelException.Quoted(name));
        }

        /// <summary>Returns the name of a door's current state; null if its nodes match no state.</summary>
        public string DoorState(string name)
        {
            int i = DoorNumber(name), state = StateOf(i);
            return state < 0 ? null : Level.Doors[i].States[state].Name;
        }

        /// <summary>Changes a door to one of its states.</summary>
        public void SetDoor(string name, string state)
        {
            int i = DoorNumber(name);
            Door door = Level.Doors[i];
            int k = Array.FindIndex(door.States, each => each.Name == state);
            if (k < 0) throw new LevelException("door " + name + " has no state " + LevelException.Quoted(state));
            var update = new Update();
            for (int n = 0; n < door.Nodes.Length; n++) update.Terrain(door.Nodes[n], door.States[k].Terrains[n]);
            Apply(update);
            last[i] = k;
        }

        // -- patches ------------------------------------------------------------------------------

        /// <summary>Returns the differences from the baked level as text for a saved game.</summary>
        public string Patch()
        {
            var terrain = new List<string>();
            var obstacles = new List<string>();
            for (int at = 0; at < Level.Locations; at++)
            {
                if (Now.Terrain[at] != Baked.Terrain[at]) terrain.Add("[" + at + "," + Now.Terrain[at] + "]");
                if (Now.Obstacle[at]) obstacles.Add(at.ToString(CultureInfo.InvariantCulture));
            }
            var keys = new List<long>(Now.Prices.Keys);
            keys.Sort();
            var arcs = new List<string>();
            foreach (long key in keys)
            {
                double units = Now.Prices[key].Units;
                string said = double.IsInfinity(units) ? "\"closed\"" : units.ToString("R", CultureInfo.InvariantCulture);
                arcs.Add("[" + (key >> 32) + "," + (int)key + "," + said + "]");
            }
            string text = "{\"terrain\":[" + string.Join(",", terrain) + "],\"obstacles\":["
                + string.Join(",", obstacles) + "],\"arcs\":[" + string.Join(",", arcs) + "]}\n";
            return "levelbake-patch 1 " + Level.Fingerprint + " " + Digest(text) + "\n" + text;
        }

        private static string Digest(string text)
        {
            using (SHA256 sha = SHA256.Create())
            {
                byte[] hash = sha.ComputeHash(Encoding.UTF8.GetBytes(text));
                return Level.Hex(hash, 0, hash.Length);
            }
        }

        /// <summary>Restores the level that a patch describes; this replaces all other changes.</summary>
        /// <exception cref="LevelException">The patch is damaged, or belongs to another level; the level stays unchanged.</exception>
        public void ApplyPatch(string patch)
        {
            int end = (patch ?? "").IndexOf('\n') + 1;
            string[] words = end == 0 ? new string[0] : patch.Substring(0, end - 1).Split(' ');
            if (words.Length == 0 || words[0] != "levelbake-patch") throw new LevelException("this is no patch");
            if (words.Length != 4 || words[1] != "1")
                throw new LevelException("another version of patches, expected 1: no links, no new arcs");
            if (words[2] != Level.Fingerprint) throw new LevelException("this patch belongs to another asset");
            string text = patch.Substring(end);
            if (Digest(text) != words[3]) throw new LevelException("the patch is damaged: its digest does not fit");
            var found = new Ground { Terrain = (byte[])Baked.Terrain.Clone(), Obstacle = new bool[Level.Locations], Prices = new Dictionary<long, Price>() };
            var nodes = new HashSet<int>();
            try
            {
                var said = (Dictionary<string, object>)new Json(text).Read();
                foreach (object pair in (List<object>)said["terrain"])
                {
                    int at = Place(Whole(pair, 0));
                    found.Terrain[at] = (byte)Terrain(Whole(pair, 1));
                    nodes.Add(at);
                }
                foreach (object each in (List<object>)said["obstacles"])
                {
                    int at = Place(Whole(new List<object> { each }, 0));
                    found.Obstacle[at] = true;
                    nodes.Add(at);
                }
                foreach (object arc in (List<object>)said["arcs"])
                {
                    object units = ((List<object>)arc)[2];
                    if (units is string && (string)units != "closed") throw new FormatException();
                    found.Prices[Arc(Whole(arc, 0), Whole(arc, 1))] = PriceOf(units is string ? double.PositiveInfinity : (double)units);
                }
            }
            catch (Exception error) when (error is LevelException || error is FormatException || error is InvalidCastException
                || error is KeyNotFoundException || error is ArgumentException || error is NullReferenceException || error is OverflowException)
            {
                throw new LevelException("the patch is damaged: it says nothing of this level");
            }
            if (nodes.Count + found.Prices.Count > 0) CheckCells();
            var arcs = new List<long>(found.Prices.Keys);
            arcs.AddRange(Baked.Prices.Keys);
            Reset();
            Count(nodes, arcs, () =>
            {
                Now.Terrain = found.Terrain;
                Now.Obstacle = found.Obstacle;
                Now.Prices = found.Prices;
            });
        }

        private static int Whole(object list, int i)
        {
            double number = (double)((List<object>)list)[i];
            if (number != Math.Floor(number) || Math.Abs(number) > int.MaxValue) throw new FormatException();
            return (int)number;
        }
    }

    /// <summary>The queries of one profile on the current level.</summary>
    internal sealed class LiveNav : Nav
    {
        private const int Fields = 4;

        internal readonly Prices Prices;
        internal int Cheaper;
        private readonly Changes changes;
        private readonly Nav baked;
        private readonly int[] marks, walked;
        private readonly Field[] fields = new Field[Fields];
        private int mark, sureGoal = -1, sureVersion = -1, oldest;

        internal LiveNav(Changes changes, Nav baked) : base(baked)
        {
            this.changes = changes;
            this.baked = baked;
            Prices = new Prices(baked);
            marks = new int[Level.Locations];
            walked = new int[Rows + 1];
        }

        /// <summary>Returns the nodes whose arcs may change their cost, for changed nodes and tails of arcs.</summary>
        internal HashSet<int> Touched(HashSet<int> nodes, List<long> arcs)
        {
            var near = new HashSet<int>();
            foreach (long key in arcs) near.Add((int)(key >> 32));
            int width = Level.Width, before = width > 0 ? Size : 0, after = width > 0 ? 1 : 0;
            foreach (int at in nodes)
            {
                int y = width > 0 ? at / width : 0, x = at - y * width;
                int bottom = width > 0 ? Math.Min(y + after, Level.FloorRows * Level.Floors - 1) : 0;
                int right = width > 0 ? Math.Min(x + after, width - 1) : x;
                for (int row = Math.Max(y - before, 0); row <= bottom; row++)
                {
                    for (int column = Math.Max(x - before, 0); column <= right; column++)
                    {
                        int one = row * width + column;
                        near.Add(one);
                        for (int i = changes.FirstInto == null ? 0 : changes.FirstInto[one];
                             changes.FirstInto != null && i < changes.FirstInto[one + 1]; i++)
                            near.Add(Level.Tail[changes.Into[i]]);
                    }
                }
            }
            return near;
        }

        /// <summary>Counts the arcs out of nodes that cost less than in the bake.</summary>
        internal int CountCheaper(HashSet<int> nodes)
        {
            int count = 0;
            foreach (int at in nodes)
            {
                int first = Level.First == null ? 0 : Level.First[at];
                int more = Level.First == null ? 0 : Level.First[at + 1] - first;
                for (int m = 0; m < Level.Directions + more; m++)
                {
                    int j = m < Level.Directions ? -1 : first + m - Level.Directions;
                    int head = j < 0 ? Level.Step(at, m) : Level.Head[j];
                    if (head < 0) continue;
                    if (Prices.Of(at, m, head, j, changes.Now) < Prices.Of(at, m, head, j, changes.Baked)) count++;
                }
            }
            return count;
        }

        public override bool Stands(int node)
        {
            if (!Level.Inside(node)) return false;
            return changes.Changed ? Prices.ClassAt(node, changes.Now) < Prices.NoClass : RowAt[node] >= 0;
        }

        /// <summary>Returns 1 if the baked path is valid, 0 without a path, -1 if a search is needed.</summary>
        private int Holds(int from, int to)
        {
            int goal = RowAt[to];
            if (!HasHops || Cheaper != 0 || goal < 0 || RowAt[from] < 0) return -1;
            if (!changes.Changed) return baked.NextHop(from, to) < 0 ? 0 : 1;
            if (sureGoal != to || sureVersion != changes.Version)
            {
                sureGoal = to;
                sureVersion = changes.Version;
                mark++;
            }
            int count = 0;
            for (int at = from; at != to && marks[at] != mark;)
            {
                int m = baked.MoveOf(RowAt[at], goal, at, to);
                if (m < 0 && at == from) return 0;
                if (m < 0 || count >= Rows) throw LevelException.Damaged("a path never ends");
                walked[count++] = at;
                int next = baked.Target(at, m);
                if (Prices.OfMove(at, m, next, changes.Now) != Prices.OfMove(at, m, next, changes.Baked)) return -1;
                at = next;
            }
            while (count > 0) marks[walked[--count]] = mark;
            return 1;
        }

        /// <summary>Returns the field toward a goal if searched since the last change, otherwise null.</summary>
        private Field Kept(int goal)
        {
            foreach (Field field in fields)
                if (field != null && field.Goal == goal && field.Version == changes.Version) return field;
            return null;
        }

        private Field FieldOf(int goal, int from)
        {
            Field found = Kept(goal);
            if (found == null)
            {
                oldest = (oldest + 1) % Fields;
                found = fields[oldest] ?? (fields[oldest] = new Field(changes, Prices));
                found.Begin(goal, changes.Version);
            }
            found.Settle(from);
            return found;
        }

        public override int NextHop(int from, int to)
        {
            if (!Stands(from) || !Stands(to)) return -1;
            if (from == to) return from;
            Field kept = Kept(to);
            int holds = kept != null && kept.Knows(from) ? -1 : Holds(from, to);
            if (holds < 0) return FieldOf(to, from).Hop(from, BakedHop(from, to));
            return holds > 0 ? baked.NextHop(from, to) : -1;
        }

        public override void HopsTo(int goal, Span<int> hops)
        {
            CheckRoom(hops);
            if (!changes.Changed && HasHops) baked.HopsTo(goal, hops);
            else if (!Stands(goal)) hops.Fill(-1);
            else
            {
                Field field = FieldOf(goal, -1);
                hops.Fill(-1);
                for (int at = 0; at < Level.Locations; at++) hops[at] = field.Hop(at, BakedHop(at, goal));
            }
        }

        private int BakedHop(int from, int to) { return HasHops ? baked.NextHop(from, to) : -1; }

        public override double Distance(int from, int to)
        {
            if (!changes.Changed && (HasHops || C.Has("label_away"))) return baked.Distance(from, to);
            if (!Stands(from) || !Stands(to)) return double.PositiveInfinity;
            if (from == to) return 0;
            int holds = Holds(from, to);
            if (holds == 0) return double.PositiveInfinity;
            if (holds > 0) return baked.Distance(from, to);
            long ticks = FieldOf(to, from).Ticks[from];
            return ticks == long.MaxValue ? double.PositiveInfinity : (double)ticks / Level.TicksPerUnit;
        }

        public override bool Reachable(int from, int to)
        {
            return !changes.Changed && baked.Tells ? baked.Reachable(from, to) : NextHop(from, to) >= 0;
        }
    }

    /// <summary>Parses the JSON of patches: objects, lists, text and numbers.</summary>
    internal sealed class Json
    {
        private readonly string text;
        private int at, depth;

        internal Json(string text) { this.text = text; }

        internal object Read()
        {
            object found = Value();
            Skip();
            if (at != text.Length) throw new FormatException();
            return found;
        }

        private void Skip()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
        }

        private bool Take(char wanted)
        {
            Skip();
            if (at >= text.Length || text[at] != wanted) return false;
            at++;
            return true;
        }

        private void Need(char wanted)
        {
            if (!Take(wanted)) throw new FormatException();
        }

        private object Value()
        {
            if (++depth > 16) throw new FormatException();
            object found;
            if (Take('{')) found = Object();
            else if (Take('[')) found = List();
            else if (Take('"')) found = Text();
            else found = Number();
            depth--;
            return found;
        }

        private Dictionary<string, object> Object()
        {
            var found = new Dictionary<string, object>();
            if (Take('}')) return found;
            do
            {
                Need('"');
                string name = Text();
                Need(':');
                found[name] = Value();
            } while (Take(','));
            Need('}');
            return found;
        }

        private List<object> List()
        {
            var found = new List<object>();
            if (Take(']')) return found;
            do found.Add(Value()); while (Take(','));
            Need(']');
            return found;
        }

        private string Text()
        {
            int end = text.IndexOf('"', at);
            if (end < 0) throw new FormatException();
            string found = text.Substring(at, end - at);
            if (found.IndexOf('\\') >= 0) throw new FormatException(); // no name in a patch needs one
            at = end + 1;
            return found;
        }

        private double Number()
        {
            Skip();
            int begin = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) at++;
            return double.Parse(text.Substring(begin, at - begin), NumberStyles.Float, CultureInfo.InvariantCulture);
        }
    }
}
