// Imports. Files of other engines, and the questions that both engines are asked.

/** Bytes of a file of another engine: policies are written by people, facts by programs; it is read as a whole. */
export const IMPORTED_FILE_BYTES_MAX = 16 * 1024 * 1024
/** Lines or rows of one file of another engine. */
export const IMPORTED_LINES_MAX = 200_000
/** Alternatives of one matcher of casbin, after its `||` were multiplied out: people write two or three. */
export const MATCHER_ALTERNATIVES_MAX = 64
/** Parentheses of one matcher inside of each other. */
export const MATCHER_DEPTH_MAX = 32
/** Permissions that result from the lines of one import: more than an environment can hold in set rules and roles. */
export const IMPORTED_GRANTS_MAX = 500_000
/** Pairs of what rules allow and what rules deny that an import compares: each pair is looked at. */
export const IMPORTED_PAIRS_MAX = 50_000_000
/** Questions that a proof asks both engines unless the command says another number: casbin took 14 s of processor time for 1,500 of them over a thousand rules. */
export const IMPORT_QUESTIONS = 50_000
/** Questions that a proof asks at most. */
export const IMPORT_QUESTIONS_MAX = 5_000_000
/** Differences that a command prints; the report has all of them. */
export const IMPORT_DIFFERENCES_SHOWN = 50
/** Differences that the report of an import holds; more are counted. */
export const IMPORT_DIFFERENCES_MAX = 100_000
