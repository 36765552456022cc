// Calls every function of the C# reader with arguments that nobody should give it. Each call returns, or
// throws a LevelException that does not blame the file. Writes a line for each that does not, and how many
// calls there were.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using LevelBake;

internal static class Misuse
{
    private static readonly List<string> Wrong = new List<string>();
    private static int calls;

    private static int Main(string[] paths)
    {
        List<Level> levels = File.ReadAllLines(paths[0]).Select(each => Level.Open(File.ReadAllBytes(each))).ToList();
        foreach (Level level in levels)
        {
            Changes now = level.Follow();
            foreach (object each in new object[] { level, level.Profile(), now, now.Profile(), new Update() }) CallAll(each);
            foreach (Nav nav in new[] { level.Profile(), now.Profile() })
            {
                Expect("HopsTo", "Level.Locations", () => nav.HopsTo(0, new int[level.Locations - 1]));
                Expect("NextHops", "goals", () => nav.NextHops(new int[2], new int[1], new int[2]));
                Expect("NextHops", "room", () => nav.NextHops(new int[2], new int[2], new int[1]));
                Call("Path", () => nav.Path(-1, int.MaxValue, new int[0]));
            }
        }
        Expect("Apply(null)", "null", () => levels[0].Follow().Apply(null));
        Expect("Path", "null", () => levels[0].Profile().Path(0, 1, (List<int>)null));
        Expect("Open(null)", "expected", () => Level.Open((byte[])null));
        byte[] pointer = System.Text.Encoding.ASCII.GetBytes("version https://git-lfs.github.com/spec/v1\n");
        Expect("Open(pointer)", "LFS", () => Level.Open(pointer));
        Changes cells = levels[2].Follow();
        Expect("changes of cells", "cells are nodes", () => cells.Block(0));
        Call("nothing is no change", () => cells.ApplyPatch(cells.Patch()));
        Nav bare = levels[3].Profile();
        if (bare.NextHop(0, 1) != 1 || bare.Distance(0, 1) != 1 || !bare.Reachable(0, 1)) Wrong.Add("no next hops");
        if (levels[3].Profile() == bare) Wrong.Add("those who search are of one thread each");
        Wrong.Add(calls.ToString());
        File.WriteAllLines(paths[1], Wrong);
        return 0;
    }

    private static string Call(string what, Action make)
    {
        calls++;
        try
        {
            make();
            return "";
        }
        catch (Exception thrown)
        {
            Exception error = thrown is TargetInvocationException ? thrown.InnerException : thrown;
            if (!(error is LevelException) || error.Message.Contains("damaged") || error.Message.Contains("\n"))
                Wrong.Add(what + ": " + error.ToString().Replace("\n", " "));
            return error.Message;
        }
    }

    private static void Expect(string what, string word, Action make)
    {
        if (!Call(what, make).Contains(word)) Wrong.Add(what + " is not refused for " + word);
    }

    /// <summary>Calls what reflection can call: spans cannot be boxed.</summary>
    private static void CallAll(object of)
    {
        const BindingFlags Public = BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly;
        for (Type type = of.GetType(); type != typeof(object); type = type.BaseType)
        {
            foreach (MethodInfo method in type.GetMethods(Public))
            {
                ParameterInfo[] parameters = method.GetParameters();
                if (parameters.Any(each => each.ParameterType.Name.Contains("Span")) || method.ReturnType.Name.Contains("Span")) continue;
                for (int i = 0; i < 9; i++)
                    for (int k = 0; k < 9; k++)
                    {
                        object[] given = parameters.Select((each, at) => Value(each.ParameterType, at == 0 ? i : at == 1 ? k : i + k)).ToArray();
                        Call(type.Name + "." + method.Name + "(" + string.Join(", ", given) + ")", () => method.Invoke(of, given));
                    }
            }
        }
    }

    private static object Value(Type type, int i)
    {
        if (type.IsByRef) return null;
        if (type == typeof(int)) return new[] { -1, 0, 1, int.MinValue, int.MaxValue, 1000000, 7, 255, 256 }[i % 9];
        if (type == typeof(double) || type == typeof(double?))
            return new[] { double.NaN, 0, -1, double.PositiveInfinity, double.NegativeInfinity, 1e300, 5e-324, 1.5, 2 }[i % 9];
        if (type == typeof(string)) return new[] { null, "", "gate", "no\0ne", "\n", "21", "levelbake-patch 1 a b\n", "ü", " " }[i % 9];
        return null;
    }
}
