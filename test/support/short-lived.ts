/**
 * Flags of Node.js for a process that a test starts and soon ends: a sixth of its processor time would go into
 * optimized code that is hardly run, and into collecting garbage early.
 */
export const SHORT_LIVED = ['--no-opt', '--single-threaded-gc', '--min-semi-space-size=16'] as const
