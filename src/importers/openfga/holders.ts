// Questions about usersets, such as whether everyone who is a member of a team may do something. Here each question is about
// a user, so it is asked about one who has that role and nothing else.
import type { Fact, Finding } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { findUnknown } from '../frame/universe.ts'
import type { Asked, AssertionsOfTest } from './assertions.ts'
import type { Model } from './model.ts'
import type { PolicyOfModel } from './policy.ts'
import { toInstance, toUserKey } from './subjects.ts'
import { splitUser, type Tuple } from './tuples.ts'

export interface Holders {
  /** without the questions that cannot be asked */
  readonly asked: readonly Asked[]
  readonly facts: readonly Fact[]
  readonly findings: readonly Finding[]
}

export function nameHolders(
  { asked, tuples }: AssertionsOfTest,
  stored: readonly Tuple[],
  model: Model,
  policy: PolicyOfModel,
): Holders {
  const taken = new Set([...stored, ...tuples].map(({ user }) => user.id))
  const keys = new Map<string, string>()
  const facts: Fact[] = []
  const findings: Finding[] = []
  const [type = ''] = model.subjects
  const kept = asked.flatMap((one): readonly Asked[] => {
    const userset = splitUser(one.user)
    if (userset.relation === undefined) return [one]
    const relation = model.find(userset.type, userset.relation)
    const at = {
      what: `check(${one.user}, ${one.relation}, ${one.object})`,
      file: one.place?.file ?? '',
      line: one.place?.line ?? 1,
    }
    if (relation === undefined || !policy.isRole(relation)) {
      const reason = 'it asks about a userset that no role is, and a question here is about a user'
      findings.push({ ...at, kind: 'unsaid', reason, nearest: 'ask about a user of it' })
      return []
    }
    let key = keys.get(one.user)
    if (key === undefined) {
      const id = findUnknown(taken, `${userset.relation}-of-${userset.type}-${userset.id}`)
      key = toUserKey({ type, id }, model)
      keys.set(one.user, key)
      const place = { tenant: 'default', resource_instance: toInstance(userset) }
      facts.push(
        { kind: 'user', fact: { key } },
        { kind: 'role_assignment', fact: { user: key, role: encodeKey(relation.name), ...place } },
      )
      const reason = 'it asks about a userset, and is asked here about a user who has that and nothing else'
      findings.push({ ...at, kind: 'note', reason, nearest: `the policy test names the user \`${key}\`` })
    }
    return [{ ...one, key }]
  })
  return { asked: kept, facts, findings }
}
