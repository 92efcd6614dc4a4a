// Reverting a revision.

/** Objects of one revision that can be reverted: as many as one plan shows. */
export const REVERT_OBJECTS_MAX = 10_000
/** Conflicts that the error of a refused revert names, and users that a conflict names; its plan has all conflicts. */
export const REVERT_NAMED_MAX = 20
