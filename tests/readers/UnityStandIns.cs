// What Unity's classes look like to LevelBakeAsset and LevelBakeImporter, so that mcs can compile them.
using System;
using LevelBake;
using UnityEngine;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute { }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class HideInInspector : Attribute { }

    public class Object
    {
        public string name { get; set; }
    }

    public sealed class Terrain : Object { }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject, new() { return new T(); }
    }
}

namespace UnityEditor.AssetImporters
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class ScriptedImporterAttribute : Attribute
    {
        public ScriptedImporterAttribute(int version, string extension) { }
    }

    public class AssetImportContext
    {
        public string assetPath { get; set; }
        public void AddObjectToAsset(string identifier, UnityEngine.Object thing) { Console.WriteLine("add " + thing.name); }
        public void SetMainObject(UnityEngine.Object thing) { Console.WriteLine("main " + thing.name); }
        public void LogImportError(string message) { Console.WriteLine("error " + message); }
    }

    public abstract class ScriptedImporter
    {
        public abstract void OnImportAsset(AssetImportContext context);
    }
}

/// <summary>A script that names a class of Unity's beside the reader's.</summary>
internal static class Landscape
{
    internal static Terrain Ground;
    internal static LevelTerrain Of(Level level) { return level.Terrains[0]; }
}

internal static class ImportAll
{
    private static void Main(string[] paths)
    {
        foreach (string path in paths)
        {
            var context = new UnityEditor.AssetImporters.AssetImportContext { assetPath = path };
            new LevelBake.Unity.LevelBakeImporter().OnImportAsset(context);
        }
    }
}
