// What the rows about an older version ask: worlds that both versions know, so nothing for a time, of everybody, or for a role on instances.
import { conditionalChanges, conditionalQuestions } from './conditional-world.mjs'
import { timedChanges, timedQuestions } from './times-world.mjs'

const WORLDS = {
  'by a role in a tenant': {
    changes: (users) => timedChanges({ users, others: 0, isAsked: false, areOthers: false }),
    questions: (users, count) => timedQuestions(users, count),
  },
  'by a derived role': {
    changes: (users) => conditionalChanges({ users, given: 'plain' }),
    questions: (users, count) => conditionalQuestions({ users, given: 'plain' }, count, 'derived'),
  },
  'by a set rule': {
    changes: (users) => conditionalChanges({ users, given: 'tenantRole' }),
    questions: (users, count) => conditionalQuestions({ users, given: 'tenantRole' }, count, 'assigned'),
  },
}

/** Kinds of checks, each with the world that it is asked in. */
export const listKinds = () =>
  Object.keys(WORLDS).flatMap((world) => [true, false].map((isAllowed) => ({ world, isAllowed })))
export const worldChanges = (world, users) => WORLDS[world].changes(users)

/** As many questions as `count`, with the same answer. */
export function kindQuestions({ world, isAllowed }, users, count) {
  const found = WORLDS[world].questions(users, count * 4).filter((question) => question.isAllowed === isAllowed)
  return Array.from({ length: count }, (_, at) => found[at % found.length])
}
