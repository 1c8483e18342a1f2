package diagnose

// Titles are all titles, with the severities of the diagnostics that are called so.
var Titles = titled

// Lookalike says how two values differ that look alike.
var Lookalike = lookalike
