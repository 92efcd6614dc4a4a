// A plan as the API answers it.

import type { Plan } from '../schemas/plan.ts'
import type { MadePlan } from './plan-task.ts'

/** @param nameOf the name of an API key by its id; null when it has none, or is deleted */
export function planRead(made: MadePlan, nameOf: (id: string) => string | null): Plan {
  const { revision, entries, more, diff, fingerprints, cascade, carried, suggested, outside } = made
  return {
    revision,
    changes: entries.map(({ op, kind, key, fields }) => ({ op, kind, key, fields })),
    more,
    policy: diff.policy,
    access: diff.access,
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
