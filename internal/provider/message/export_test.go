package message

// Lookalike says how two values differ that look alike.
var Lookalike = lookalike
