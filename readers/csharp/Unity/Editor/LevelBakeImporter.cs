using System.IO;
using UnityEditor.AssetImporters;

namespace LevelBake.Unity
{
    /// <summary>Imports .bake files as assets; a damaged file is an error in Unity's console.</summary>
    [ScriptedImporter(1, "bake")]
    public sealed class LevelBakeImporter : ScriptedImporter
    {
        public override void OnImportAsset(AssetImportContext context)
        {
            byte[] bytes = File.ReadAllBytes(context.assetPath);
            LevelBakeAsset asset;
            try
            {
                asset = LevelBakeAsset.Of(bytes);
                asset.name = LevelBake.Level.Open(bytes).Name;
            }
            catch (LevelException error)
            {
                context.LogImportError(context.assetPath + ": " + error.Message);
                return;
            }
            context.AddObjectToAsset("level", asset);
            context.SetMainObject(asset);
        }
    }
}
