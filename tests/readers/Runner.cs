// Answers the questions of a file with the C# reader: see tests/support/readers.py.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using LevelBake;

internal static class Runner
{
    private static byte[] bytes;
    private static Level level;
    private static Changes now;
    private static Nav baked, nav;
    private static bool used;
    private static readonly List<int> Nodes = new List<int>();

    private static int Main(string[] paths)
    {
        CultureInfo.CurrentCulture = new CultureInfo("de-DE"); // a comma in numbers must not matter
        var answers = new StringBuilder();
        foreach (string line in File.ReadAllLines(paths[0], Encoding.UTF8))
        {
            try
            {
                answers.Append(Answer(line.Split(' '))).Append('\n');
            }
            catch (LevelException error)
            {
                answers.Append("error: ").Append(error.Message).Append('\n');
            }
        }
        File.WriteAllText(paths[1], answers.ToString(), new UTF8Encoding(false));
        return 0;
    }

    private static string Answer(string[] words)
    {
        if (words[0] == "load") return Load(words);
        if (now == null) return "error: no level";
        switch (words[0])
        {
            case "profile": return UseProfile(Int(words[1]));
            case "about": return About();
            case "hop": return nav.NextHop(Int(words[1]), Int(words[2])).ToString();
            case "path": return Path(Int(words[1]), Int(words[2]));
            case "ticks": return Ticks(nav.Distance(Int(words[1]), Int(words[2])));
            case "reach": return nav.Reachable(Int(words[1]), Int(words[2])) ? "1" : "0";
            case "stands": return nav.Stands(Int(words[1])) ? "1" : "0";
            case "node_at": return nav.NodeAt(Int(words[1]), Int(words[2]), Int(words[3])).ToString();
            case "cell": return Cell(Int(words[1]));
            case "nearest": return nav.Nearest(Number(words[1]), Number(words[2]), Int(words[3])).ToString();
            case "point": return Point(Int(words[1]));
            case "to_node": return level.ToNode(Number(words[1]), Number(words[2]), Int(words[3])).ToString();
            case "hops_to": return HopsTo(Int(words[1]));
            case "hops_from": return HopsFrom(Int(words[1]));
            case "block": return Change(() => now.Apply(Each(words, (update, at) => update.Block(at))));
            case "open": return Change(() => now.Apply(Each(words, (update, at) => update.Open(at))));
            case "terrain": return Change(() => now.SetTerrain(Int(words[1]), Int(words[2])));
            case "price": return Change(() => now.SetPrice(Int(words[1]), Int(words[2]), Units(words[3])));
            case "door": return Change(() => now.SetDoor(DoorAt(words[1]).Name, StateAt(words)));
            case "door_state": return now.DoorState(DoorAt(words[1]).Name) ?? "none";
            case "fresh": return Change(() => now.Reset());
            case "patch": return now.Patch().Replace('\n', '|');
            case "apply": return Change(() => now.ApplyPatch(string.Join(" ", words.Skip(1)).Replace('|', '\n')));
            default: throw new ArgumentException(words[0]);
        }
    }

    private static int Int(string word) { return int.Parse(word, CultureInfo.InvariantCulture); }

    private static double Number(string word) { return double.Parse(word, CultureInfo.InvariantCulture); }

    private static double? Units(string word)
    {
        if (word == "usual") return null;
        return word == "closed" ? double.PositiveInfinity : Number(word);
    }

    private static string Text(double number) { return number.ToString("R", CultureInfo.InvariantCulture); }

    private static string Ticks(double units)
    {
        return double.IsInfinity(units) ? "-1" : Math.Round(units * level.TicksPerUnit).ToString(CultureInfo.InvariantCulture);
    }

    private static string Load(string[] words)
    {
        if (words[1] != "=") bytes = File.ReadAllBytes(words[1]);
        var data = (byte[])bytes.Clone();
        foreach (string[] change in words.Skip(2).Select(word => word.Split(':')))
        {
            if (change[0] == "size")
            {
                Array.Resize(ref data, Int(change[1]));
                continue;
            }
            int at = Int(change[0]), length = change[1].Length / 2;
            for (int i = 0; i < length * Int(change[2]); i++)
                data[at + i] = Convert.ToByte(change[1].Substring(i % length * 2, 2), 16);
        }
        now = null;
        level = Level.Open(new ReadOnlySpan<byte>(data));
        now = level.Follow();
        used = false;
        return UseProfile(0);
    }

    private static string UseProfile(int i)
    {
        if (i >= level.Profiles.Count) throw new LevelException("no such profile");
        baked = level.Profile(level.Profiles[i]);
        nav = used ? now.Profile(level.Profiles[i]) : baked;
        return "ok";
    }

    private static string Change(Action make)
    {
        used = true;
        nav = now.Profile(nav.Name);
        make();
        return "ok";
    }

    private static Update Each(string[] words, Action<Update, int> add)
    {
        var update = new Update();
        foreach (string word in words.Skip(1)) add(update, Int(word));
        return update;
    }

    private static Door DoorAt(string word)
    {
        if (Int(word) >= level.Doors.Count) throw new LevelException("no such door");
        return level.Doors[Int(word)];
    }

    private static string StateAt(string[] words)
    {
        DoorState[] states = DoorAt(words[1]).States;
        return Int(words[2]) < states.Length ? states[Int(words[2])].Name : "no such state";
    }

    private static string Path(int from, int to)
    {
        int count = nav.Path(from, to, Nodes);
        var some = new int[count + 1];
        if (nav.Path(from, to, some) != count || !some.Take(count).SequenceEqual(Nodes)) return "two paths";
        return count == 0 ? "none" : string.Join(" ", Nodes);
    }

    private static string Cell(int node)
    {
        int x, y, floor;
        return level.CellOf(node, out x, out y, out floor) ? x + " " + y + " " + floor : "none";
    }

    private static string Point(int node)
    {
        double x, y;
        return level.ToPoint(node, out x, out y) ? Text(x) + " " + Text(y) : "none";
    }

    private static string HopsTo(int goal)
    {
        var hops = new int[level.Locations];
        nav.HopsTo(goal, hops);
        return string.Join(" ", hops);
    }

    private static string HopsFrom(int from)
    {
        int[] to = Enumerable.Range(0, level.Locations).ToArray();
        var hops = new int[to.Length];
        nav.NextHops(to.Select(_ => from).ToArray(), to, hops);
        return string.Join(" ", hops);
    }

    private static string Json(object value)
    {
        var list = value as System.Collections.IEnumerable;
        if (value is string) return "\"" + ((string)value).Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
        if (list != null) return "[" + string.Join(",", list.Cast<object>().Select(Json)) + "]";
        if (value is bool) return (bool)value ? "true" : "false";
        if (value is double) return Text((double)value);
        return value == null ? "null" : value.ToString();
    }

    private static string About()
    {
        var said = new Dictionary<string, object>
        {
            { "name", level.Name },
            { "kind", level.Kind.ToString().ToLowerInvariant() },
            { "profiles", level.Profiles },
            { "width", level.Width },
            { "height", level.FloorRows },
            { "floors", level.Floors },
            { "terrains", level.Terrains.Select(each => each.Name) },
            { "spots", level.Spots.Select(s => new object[] { s.Name, s.Kind, s.Node, s.Profiles, s.Id }) },
            { "regions", level.Regions.Select(r => new object[] { r.Name, r.Nodes, r.Id }) },
            { "doors", level.Doors.Select(d => new object[] {
                d.Name, d.Nodes, d.Baked < 0 ? null : d.States[d.Baked].Name,
                d.States.Select(s => new object[] { s.Name, s.Terrains }), d.Id }) },
            { "links", level.Links.Select(l => new object[] {
                l.Name, l.Kind, l.From, l.To, l.Cost, l.BothWays, l.Profiles, l.Id }) },
            { "names", Enumerable.Range(0, level.Width > 0 ? 0 : level.Locations).Select(level.NodeName) },
        };
        return "{" + string.Join(",", said.Select(pair => Json(pair.Key) + ":" + Json(pair.Value))) + "}";
    }
}
