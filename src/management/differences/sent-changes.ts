// Changes in the form of the API, as the console and copies of environments send them to be planned: one list, in the
// order in which they would be sent one by one. Each is the use case of the single write.

import { ZerohopError } from '../../model/errors.ts'
import { PLAN_CHANGES_MAX } from '../../model/limits.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { stageEach } from '../objects/bulk-items.ts'
import { sentWrites } from '../objects/in-files.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { isConnecting, isPart } from '../rules/kinds-in-files.ts'
import type { SentChange } from '../schemas/plan.ts'

/** Stages the changes, in their order. @throws what single writes throw, with the place in the list */
export function stageSent(view: View, sent: readonly SentChange[], mint: Mint): Draft {
  const changes = { items: sent, path: [...BODY, 'changes'], what: 'changes', limit: PLAN_CHANGES_MAX }
  return stageEach(view, changes, (draft, change) => decided(draft, change, mint))
}

function decided(view: View, { op, kind, key, value }: SentChange, mint: Mint): Decided<unknown> {
  const writes = sentWrites(kind)
  const slash = key.indexOf('/')
  if (isPart(kind) && slash < 0) throw invalid('the key of a part is `resource/part`', [...BODY, 'key'])
  const [of, ref] = isPart(kind) ? [key.slice(0, slash), key.slice(slash + 1)] : ['', key]
  if (op === 'delete') return writes.remove(view, { ref }, mint, of)
  const path = [...BODY, 'value']
  if (op === 'create') {
    // the body of what only connects others names that, and has no key
    const fields = isConnecting(kind) ? (value ?? {}) : { ...value, key: bodyKey(kind, ref) }
    return writes.create(view, { fields, path }, mint, of)
  }
  if (writes.update === null)
    throw invalid(`nothing of a ${kind.replaceAll('_', ' ')} can be changed: delete it and make another one`, [
      ...BODY,
      'op',
    ])
  return writes.update(view, { ref, fields: value ?? {}, path }, mint, of)
}

/** Deletes an object of the file, as its single delete. @throws what that throws */
export function deleteNamed(view: View, kind: PolicyKind, key: string, mint: Mint): Decided<unknown> {
  return decided(view, { op: 'delete', kind, key }, mint)
}

/** Of an instance the body has the key without its type. */
const bodyKey = (kind: PolicyKind, ref: string): string =>
  kind === 'resource_instance' ? ref.slice(ref.indexOf(':') + 1) : ref

function invalid(reason: string, path: Path): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path })
}
