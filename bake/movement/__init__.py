"""Say how agents move: steps between cells, footprints, corners, ledges, and costs of steps.

The bake prices every cell of a level with these functions, and an update of a game prices the cells
around a change. Both call the same functions, so an edited level and a new bake of it agree to the
tick. Wherever a cell is a number, that is y * width + x.
"""
