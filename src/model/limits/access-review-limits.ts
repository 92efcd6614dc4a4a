// Access reviews. How much of one is made at a time, and what its thread keeps.

/** Lines of a page of an access review. */
export const REVIEW_LINES_MAX = 1_000
/** The same where no number is sent. */
export const REVIEW_LINES_DEFAULT = 100
/**
 * Work of a page of an access review, counted as that of a listing; the last user is listed to the end. Then the page
 * ends, and `next` goes on.
 */
export const REVIEW_WORK_MAX = 4_000_000
/** Work of the counts of an access review: some ten seconds. Beyond it they are lower bounds. */
export const REVIEW_COUNT_WORK_MAX = 400_000_000
/** Lines of a CSV file of an access review; what is more is not written, and the last line says so. */
export const REVIEW_CSV_LINES_MAX = 10_000_000
/** Tasks that wait for the thread of access reviews; beyond it the caller is asked to try again later. */
export const REVIEWS_WAITING_MAX = 64
/** Milliseconds after the last access review until its thread ends, with what it keeps. */
export const REVIEW_IDLE_MS = 120_000
/** Images that the thread of access reviews keeps, of PAST_IMAGES_BYTES_MAX in all. */
export const REVIEW_IMAGES_MAX = 4
/** Changes by which that thread reaches a revision from an image that it keeps; beyond it an image is built. */
export const REVIEW_FOLLOWED_CHANGES_MAX = 100_000
/** Grants and relations that are looked at to find the few users who can have lines about one instance. */
export const REVIEW_FEW_MAX = 100_000
/** Outcomes of set rules that a review keeps for users who are alike, counted with their groups of instances. */
export const REVIEW_OUTCOMES_MAX = 1_000_000
/** Reviews for which that thread keeps what it found once for all users. */
export const REVIEWS_KEPT_MAX = 8
/** Roles and permissions that the counts of a review keep for users who have the same; beyond it they are found again. */
export const REVIEW_HELD_MAX = 1_000_000
/** Work of the counts of an access review in one turn of their thread: pages of reviews wait so long. */
export const REVIEW_COUNT_TURN_WORK_MAX = 400_000
/** Lines with an end that an access review sorts by it: those that end first. With more, the last line says so. */
export const REVIEW_ENDS_MAX = 100_000
