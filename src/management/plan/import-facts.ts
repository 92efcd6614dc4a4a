// A part of a file of facts: missing facts are created, existing ones become what their lines say, in one revision.
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { formatSummary } from '../differences/summary.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import type { FactLists } from '../policy-file/export.ts'
import { realChanges } from './import.ts'

/** How many facts were created and changed; the others were as their lines say. */
export interface ImportedFacts {
  readonly created: number
  readonly changed: number
}

/** @throws what single writes throw, with the place in the lists */
export function importFacts(view: View, lists: Partial<FactLists>, mint: Mint): Decided<ImportedFacts> {
  const draft = new Draft(view)
  applyPolicy(draft, { zerohop: 2, ...lists }, mint)
  const changes = realChanges(view, draft)
  // a membership that follows from a role is not a fact of a file
  const facts = changes.filter(
    (change) => change.op === 'delete' || change.kind !== 'membership' || change.value.explicit,
  )
  const created = facts.filter(({ kind, key }) => view.get(kind, key) === undefined).length
  const changed = facts.length - created
  return {
    changes,
    summary: formatSummary('import', { create: created, update: changed, delete: 0 }),
    result: { created, changed },
  }
}
