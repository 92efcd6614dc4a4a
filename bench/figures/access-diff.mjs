// Rows of access diffs: what a change does to who may do what in an environment of a million facts, and how long it
// takes to have the image after the change beside the one before it.
import { accessDiff } from '../../dist/src/image/access-diff/access-diff.js'
import {
  DOCUMENT_READER,
  DRAFTS,
  FACTS,
  MEMBER,
  put,
  SENIORS,
  tenantKey,
  userKey,
  worldChanges,
} from '../access-world.mjs'
import { median } from '../sampling.mjs'
import { ENVIRONMENT, FIRST, Image, makeDelta } from '../zerohop-image.mjs'

const NOW = Date.UTC(2026, 0, 1)
/** Rounds of a row end after this time, in ms, however few there were. */
const ROW_MAX = 4_000

export async function measureAccessDiff(results, { effort, progress }) {
  const { users, rounds } = {
    full: { users: 100_000, rounds: 9 },
    quick: { users: 100_000, rounds: 3 },
    tiny: { users: 1_000, rounds: 2 },
  }[effort]
  progress('access-diff: building an image')
  const changes = worldChanges(users)
  const facts = changes.filter(({ kind }) => FACTS.has(kind)).length
  const before = Image.build(ENVIRONMENT, FIRST, changes)
  const of = `${users.toLocaleString('en-US')} users, ${facts.toLocaleString('en-US')} facts`
  const clones = Array.from({ length: rounds }, () => timed(() => before.clone()).ms)
  results.addFigure({ name: `a copy of an image of ${of}`, value: median(clones), unit: 'ms' })
  for (const { name, edit, gained, lost, mayChange, most } of edits(users)) {
    progress(`access-diff: ${name}`)
    const samples = []
    for (let round = 0, spent = 0; round < rounds && spent < ROW_MAX; round++) {
      const after = before.clone()
      after.apply(makeDelta(1, edit))
      const { ms, value } = timed(() => accessDiff(before, after, edit, { now: NOW }))
      const { gained: more, lost: less, conditional, conditional_complete } = value.access
      const found = [more, less].map(({ decisions, complete }) => `${decisions} ${complete}`)
      const may = conditional.reduce((sum, line) => sum + line.users, 0)
      const expected = `${gained} true,${lost} true,${mayChange ?? may} true`
      if (`${found},${may} ${conditional_complete}` !== expected)
        throw new Error(`${name}: ${found}, ${may} may change`)
      samples.push(ms)
      spent += ms
    }
    const value = median(samples)
    results.addFigure({ name: `access diff of ${name}, ${of}`, value, unit: 'ms', ...(most ? { most } : {}) })
  }
}

/** The edits that are measured, with the flips that each must have. */
function edits(users) {
  const member = { permissions: ['document:read', 'document:write'], extends: [] }
  const reader = put('resource_role', 'document/reader', {
    ...DOCUMENT_READER,
    permissions: ['document:read', 'document:share'],
  })
  const rule = { user_set: '__autogen_member', permission: 'document:share', resource_set: '__autogen_document' }
  const assignment = { user: userKey(0), role: 'member', tenant: tenantKey(0) }
  return [
    {
      name: 'a permission more for a role of all users',
      edit: [put('role', 'member', member)],
      gained: users,
      lost: 0,
      most: 1_000,
    },
    { name: 'a renamed role', edit: [put('role', 'member', MEMBER)], gained: 0, lost: 0, most: 10 },
    { name: 'a renamed condition set', edit: [put('condition_set', 'seniors', SENIORS)], gained: 0, lost: 0, most: 10 },
    {
      name: 'an assignment less',
      edit: [{ op: 'delete', kind: 'role_assignment', key: `${assignment.user}/member/${assignment.tenant}` }],
      gained: 0,
      lost: 1,
      most: 10,
    },
    {
      name: 'a permission more for a role derived on documents',
      edit: [reader],
      gained: users * 2,
      lost: 0,
      most: 5_000,
    },
    {
      name: 'another condition for the resources of a rule that all users have',
      edit: [
        put('condition_set', 'drafts', {
          ...DRAFTS,
          conditions: { ...DRAFTS.conditions, 'resource.state': { in: ['draft', 'new'] } },
        }),
      ],
      gained: 0,
      lost: 0,
      mayChange: users,
      most: 2_000,
    },
    {
      name: 'a set rule for a role of all users',
      edit: [put('set_rule', `${rule.user_set}/${rule.permission}/${rule.resource_set}`, rule)],
      gained: users,
      lost: 0,
      most: 3_000,
    },
  ]
}

function timed(run) {
  const start = performance.now()
  const value = run()
  return { ms: performance.now() - start, value }
}
