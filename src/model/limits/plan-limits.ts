// Plans. What compares a policy with an environment, and its access before and after.

/** Changes of one plan in the form of the API: what someone edited in one sitting. */
export const PLAN_CHANGES_MAX = 10_000
/** Objects that one plan shows field by field; the others are counted. */
export const PLAN_ENTRIES_MAX = 10_000
/** Grants that start or end until the second instant of a plan, and of those that it schedules, that it lists. */
export const PLAN_TURNS_SHOWN_MAX = 1_000
/** Instants from which scheduled grants of a plan make a difference and at which its access is compared: each is a comparison. */
export const PLAN_LATER_MAX = 4
/** Entries of the log in which a plan looks for who changed an object since it was applied. */
export const PLAN_LOOK_BACK_MAX = 10_000
/** Plans of one process that wait for the thread that makes them; beyond it the caller is asked to try again later. */
export const PLANS_WAITING_MAX = 64
/** Times that `apply` compares access anew because others wrote policy meanwhile. */
export const APPLY_TRIES_MAX = 5
/** Milliseconds after the last plan until the images that its thread keeps are dropped. */
export const PLAN_IDLE_MS = 10 * 60_000
/** Images that the thread of plans keeps, one for each environment. */
export const PLAN_IMAGES_MAX = 16
/** Bytes of these images together: the largest image fits. */
export const PLAN_IMAGES_BYTES_MAX = 2 * 1024 * 1024 * 1024
/** Proposals of one environment that are kept: an open one stays, of the others the oldest goes. */
export const PROPOSALS_MAX = 100
/** Bytes of a proposal as JSON, with the access that its plan changes: it is read and written in one piece. */
export const PROPOSAL_BYTES_MAX = 1024 * 1024
/** Persons and keys that a key remembers as those who made it, or the key that made it. */
export const MADE_BY_MAX = 16
