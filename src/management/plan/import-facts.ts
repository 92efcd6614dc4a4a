// A part of a file of facts: missing facts are created, existing ones become what their lines say, in one revision.
import type { Change } from '../../log/change.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { formatSummary } from '../differences/summary.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import type { FactLists } from '../policy-file/export.ts'
import { realEdits } from './import.ts'

/** How many facts were created and changed; the others were as their lines say. */
export interface ImportedFacts {
  readonly created: number
  readonly changed: number
}

/** @throws what single writes throw, with the place in the lists */
export function importFacts(view: View, lists: Partial<FactLists>, mint: Mint): Decided<ImportedFacts> {
  const draft = new Draft(view)
  applyPolicy(draft, { zerohop: 2, ...lists }, mint, { keepsTimes: true })
  const changes: Change[] = []
  let [created, changed] = [0, 0]
  for (const { change, isNew } of realEdits(draft)) {
    changes.push(change)
    // a membership that follows from a role is not a fact of a file
    if (change.op === 'put' && change.kind === 'membership' && !change.value.explicit) continue
    if (isNew) created++
    else changed++
  }
  return {
    changes,
    summary: formatSummary('import', { create: created, update: changed, delete: 0 }),
    result: { created, changed },
  }
}
