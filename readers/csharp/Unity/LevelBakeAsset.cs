using UnityEngine;

namespace LevelBake.Unity
{
    /// <summary>A .bake file as a Unity asset. The importer creates it, and scenes refer to it.</summary>
    public sealed class LevelBakeAsset : ScriptableObject
    {
        [SerializeField, HideInInspector] private byte[] bytes;
        private Level level;

        /// <summary>The level, opened on first use.</summary>
        /// <exception cref="LevelException">The file is damaged.</exception>
        public Level Level
        {
            get { return level ?? (level = LevelBake.Level.Open(bytes)); }
        }

        public static LevelBakeAsset Of(byte[] bytes)
        {
            var asset = CreateInstance<LevelBakeAsset>();
            asset.bytes = bytes;
            return asset;
        }
    }
}
