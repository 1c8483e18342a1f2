package diagnose

// Lookalike says how two values differ that look alike.
var Lookalike = lookalike
