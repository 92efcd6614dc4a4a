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
/** Modules of one model, and files of tuples that a store file names. */
export const IMPORTED_MODULES_MAX = 1000
/** Tokens of a condition of OpenFGA that an import reads: one on time has about ten. */
export const IMPORTED_CONDITION_TOKENS_MAX = 200
/** Tuples of one request to a running OpenFGA: what it takes unless it is set otherwise. */
export const OPENFGA_WRITE_TUPLES_MAX = 100
/** Milliseconds after which an answer of a running OpenFGA is not waited for any longer. */
export const OPENFGA_ANSWER_TIMEOUT_MS = 10_000
/** Bytes of an answer of a running OpenFGA; a check is answered with less than a hundred. */
export const OPENFGA_ANSWER_BYTES_MAX = 1024 * 1024
/** Instants at which a question is asked when tuples of a store have times: each end, and the moment before it. */
export const IMPORTED_INSTANTS_MAX = 8
/** Objects of one page of the API of Permit: the most that it gives. */
export const PERMIT_PAGE = 100
/** Objects of one list of an account of Permit: more are not read. */
export const PERMIT_OBJECTS_MAX = 200_000
/** Milliseconds after which an answer of Permit is not waited for any longer. */
export const PERMIT_ANSWER_TIMEOUT_MS = 30_000
/** Bytes of an answer of Permit: a page of objects with their attributes. */
export const PERMIT_ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** How often a request to Permit is sent that is answered 429 or 503. */
export const PERMIT_TRIES_MAX = 8
/** Milliseconds that are waited at most when Permit says that it is asked too often. */
export const PERMIT_PAUSE_MS_MAX = 60_000
