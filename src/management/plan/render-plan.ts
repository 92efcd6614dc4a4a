// A plan as the API answers it.

import { PLAN_TURNS_SHOWN_MAX } from '../../model/limits.ts'
import { formatInstant, withInstants } from '../../model/print-time.ts'
import type { Plan } from '../schemas/plan.ts'
import type { Later } from './later.ts'
import type { MadePlan } from './plan-task.ts'

/** @param nameOf the name of an API key by its id; null when it has none, or is deleted */
export function planRead(made: MadePlan, nameOf: (id: string) => string | null): Plan {
  const {
    revision,
    entries,
    tenantRoles,
    more,
    diff,
    upcoming,
    later,
    warnings,
    fingerprints,
    cascade,
    carried,
    suggested,
    outside,
  } = made
  return {
    revision,
    changes: entries.map(({ op, kind, key, fields }) => ({ op, kind, key, fields })),
    ...(tenantRoles === undefined ? {} : { tenant_roles: [...tenantRoles] }),
    more,
    policy: diff.policy,
    access: diff.access,
    ...(upcoming === undefined ? {} : printUpcoming(upcoming)),
    ...(later.length === 0 ? {} : { scheduled: later.slice(0, PLAN_TURNS_SHOWN_MAX).map(printLater) }),
    ...(warnings.length === 0 ? {} : { warnings }),
    fingerprints,
    cascade,
    carried,
    outside: outside.map(({ kind, key, by, operation, revision: changed, at }) => ({
      kind,
      key,
      by: by === null ? operation : (nameOf(by) ?? by),
      revision: changed,
      at: at === null ? null : new Date(at).toISOString(),
    })),
    suggested,
  }
}

function printUpcoming({
  at,
  turns: { first, count },
}: NonNullable<MadePlan['upcoming']>): Pick<Plan, 'at' | 'turns' | 'more_turns'> {
  const shown = first.slice(0, PLAN_TURNS_SHOWN_MAX)
  return {
    at: formatInstant(at),
    turns: shown.map(({ is, at: instant, kind, key }) => ({ is, at: formatInstant(instant), kind, key })),
    more_turns: count - shown.length,
  }
}

function printLater({ at, grants, access }: Later): NonNullable<Plan['scheduled']>[number] {
  const shown = grants.slice(0, PLAN_TURNS_SHOWN_MAX)
  return {
    at: formatInstant(at),
    grants: shown.map(({ kind, key, times }) => withInstants({ kind, key, ...times })),
    more: grants.length - shown.length,
    ...(access === undefined ? {} : { access }),
  }
}
