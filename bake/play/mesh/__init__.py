"""Answer questions about points of a navigation mesh: which polygon, and the straight way.

`polygons` reads the mesh and finds points in it, `funnel` pulls a string through polygons in a row,
and `polyanya` finds the shortest path of all.
"""
