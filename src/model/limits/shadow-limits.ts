// Shadow runs. Two engines asked the same questions: how much of what differs is explained and kept.

/** Differences that a shadow run explains and reports in a second: one costs some ten microseconds; the rest is counted. */
export const SHADOW_REPORTED_PER_SECOND = 100
/** Questions to an old engine that answers later, while the new one decides; beyond that it gets none. */
export const SHADOW_PENDING_MAX = 1_000
/** Bytes of differences that wait for the disk. */
export const SHADOW_BUFFER_BYTES_MAX = 1024 * 1024
/** Bytes of a file of differences, unless the option `fileBytesMax` names others: some 150,000 differences. */
export const SHADOW_FILE_BYTES_MAX = 64 * 1024 * 1024
/** Milliseconds after which counts are written into the file once more, with the next differences. */
export const SHADOW_COUNTS_MS = 60_000
/** Bytes of a line of a file of differences: texts in it are shortened. */
export const SHADOW_LINE_BYTES_MAX = 16 * 1024
/** Groups of a report: more are counted together. */
export const SHADOW_GROUPS_MAX = 1_000
/** Runs whose counts a report adds up. */
export const SHADOW_RUNS_MAX = 10_000
/** Examples of a group in a report. */
export const SHADOW_EXAMPLES = 3
