// Why a role was given, beside the lines of an access review: images do not have reasons and tickets, so they are read where
// the assignments are stored.
import type { ComparedLine } from '../../image/access-review/review.ts'
import { presentFields } from '../../kinds/fields.ts'
import { noteFields, type RoleAssignment } from '../../kinds/role-assignment.ts'
import { assignmentKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'

export type NotedLine = ComparedLine & Pick<RoleAssignment, 'reason' | 'ticket'>

/** When the revisions of a review were written, in ms since 1970. */
export interface ReviewedAt {
  readonly at: number
  /** of the revision that it is compared with */
  readonly since: number | undefined
}

/**
 * The lines of assigned roles with the reason and the ticket of the assignment. What was written again after the revision
 * of the line has none here: its reason then is not known.
 */
export function withNotes(view: Pick<View, 'get'>, lines: readonly ComparedLine[], when: ReviewedAt): NotedLine[] {
  return lines.map((line) => {
    const assigned = findAssignment(view, line)
    const at = line.change === 'removed' ? when.since : when.at
    if (assigned === undefined || at === undefined || assigned.updated_at > at) return line
    return { ...line, ...presentFields(noteFields, assigned) }
  })
}

function findAssignment(view: Pick<View, 'get'>, line: ComparedLine): RoleAssignment | undefined {
  const { user, tenant, resource, resource_instance: instance, source, derived } = line
  if (!source?.role || tenant === null || derived) return undefined
  const isOnInstance = source.kind === 'resource_role'
  const role = isOnInstance ? source.role.slice(source.role.indexOf('#') + 1) : source.role
  const key = assignmentKey(user, role, tenant, isOnInstance ? `${resource}:${instance}` : undefined)
  return view.get('role_assignment', key)
}
