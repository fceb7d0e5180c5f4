// Nothing to do: what is left is the cost of getting there.
#version 450
layout(local_size_x = 64) in;
void main() {}
