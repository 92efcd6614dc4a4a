// Access diffs: what is compared of the rules, and how many lines and letters one shows.

/**
 * Pairs of a role and a permission, or set rules, that an access diff lists as gained, lost or changed: more than
 * anyone reads.
 */
export const POLICY_PAIRS_MAX = 10_000
/** Pairs of a role and a permission that are compared for one access diff: one or two seconds. */
export const POLICY_COMPARED_MAX = 2_000_000
/** Letters of a condition in an access diff: a screen full. */
export const CONDITION_TEXT_MAX = 2_000
/**
 * Work of one access diff for what may change: 16 for a user in a tenant and a permission, 512 for conditions that are
 * made; some seconds. What would take more is not complete, and says so.
 */
export const CONDITIONAL_WORK_MAX = 50_000_000
/** Lines of an access diff about what may change: each is a pair of conditions of one permission. */
export const CONDITIONAL_LINES_MAX = 1_000
/** Users, and tenants, that a line about what may change names. */
export const CONDITIONAL_FIRST_MAX = 10
/** Instants between two at which one listed answer is asked, to say since when it is another one; beyond, it is not said. */
export const ACCESS_SINCE_STEPS_MAX = 200
/** Work of one such question, and tuples and roles that are followed to find the next instant. */
export const ACCESS_SINCE_WORK_MAX = 100_000
/**
 * Grants that start or end between two instants that an access diff compares: those that do so first. With more it is not
 * complete, and says so.
 */
export const ACCESS_TURNS_MAX = 100_000
