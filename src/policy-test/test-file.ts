// The form of a test file: facts, and what is expected of a policy with them. Expectations are short lines, long forms,
// tables of users and actions, and lists of who may (docs/policy-tests.md); expectations.ts makes questions of them.
import { PolicyFile } from '../management/schemas/policy-file.ts'
import {
  anyOf,
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  mapOf,
  maybe,
  membersOf,
  named,
  type Static,
  schemaOf,
  Text,
  Texts,
} from '../model/json-schema.ts'
import type { JsonObject } from '../model/objects.ts'

const Attributes = schemaOf<JsonObject>({ type: 'object' })
const Words = anyOf(Text, Texts)

const TestUser = anyOf(Text, closed({ key: Text, attributes: maybe(Attributes) }))
const TestResource = anyOf(
  Text,
  closed({
    type: Text,
    key: maybe(Text),
    tenant: maybe(Text),
    attributes: maybe(Attributes),
    relations: maybe(
      described(mapOf(Texts), 'relations that are sent with the question, each to a list of `type:key`'),
    ),
  }),
)

/** By what a question is allowed. */
const TestBecause = closed({
  source: maybe(enumOf('role', 'resource_role', 'set_rule')),
  role: maybe(described(Text, 'the role that is assigned; of a resource type `type#role`')),
  resource_instance: maybe(described(Text, '`type:key` on which it is assigned')),
  user_set: maybe(described(Text, 'of a set rule: the user set, or a role in its place')),
  resource_set: maybe(described(Text, 'of a set rule: the resource set, or a resource type in its place')),
})
export type TestBecause = Static<typeof TestBecause>

const Where = {
  tenant: maybe(described(Text, 'without it that of the stored resource, else `default`')),
  context: maybe(Attributes),
}

/** One question, or one for each of several actions. */
export const LongExpectation = closed({
  user: TestUser,
  action: Words,
  resource: TestResource,
  ...Where,
  allow: Flag,
  because: maybe(TestBecause),
})
export type LongExpectation = Static<typeof LongExpectation>

/** Which of the actions each user may do; the others are denied. */
export const TableExpectation = closed({
  resource: TestResource,
  ...Where,
  actions: maybe(described(Texts, 'the columns; without it all actions of the resource type')),
  may: described(mapOf(Words), 'actions by user'),
})
export type TableExpectation = Static<typeof TableExpectation>

/** What may be added to a policy for a test. */
export const Facts = closed(
  membersOf(
    PolicyFile,
    'tenants',
    'users',
    'memberships',
    'resource_instances',
    'relationship_tuples',
    'role_assignments',
  ),
)
export type Facts = Static<typeof Facts>

/** The whole file. What an expectation is, is told apart by its members. */
export const TestFile = named(
  'PolicyTestFile',
  closed({
    name: maybe(described(Text, 'a name for reports')),
    now: maybe(described(Text, 'the time of all questions, such as 2026-01-31T12:00:00Z; without it that of the run')),
    facts: maybe(described(Facts, 'added to those of the policy, for this file only; in the form of the policy file')),
    expect: listOf(schemaOf<unknown>({})),
  }),
)
export type TestFile = Static<typeof TestFile>
