// The form of a test file: facts, and what is expected of a policy with them. Expectations are short lines, long forms,
// tables of users and actions, and lists of who may (docs/policy-tests.md); expectations.ts makes questions of them.
import { PolicyFile } from '../management/schemas/policy-file.ts'
import * as t from '../model/json-schema.ts'
import type { JsonObject } from '../model/objects.ts'

const Attributes = t.schemaOf<JsonObject>({ type: 'object' })
const Words = t.anyOf(t.Text, t.Texts)

const TestUser = t.anyOf(t.Text, t.closed({ key: t.Text, attributes: t.maybe(Attributes) }))
const TestResource = t.anyOf(
  t.Text,
  t.closed({
    type: t.Text,
    key: t.maybe(t.Text),
    tenant: t.maybe(t.Text),
    attributes: t.maybe(Attributes),
    relations: t.maybe(
      t.described(t.mapOf(t.Texts), 'relations that are sent with the question, each to a list of `type:key`'),
    ),
  }),
)

/** By what a question is allowed. */
const TestBecause = t.closed({
  source: t.maybe(t.enumOf('role', 'resource_role', 'set_rule')),
  role: t.maybe(t.described(t.Text, 'the role that is assigned; of a resource type `type#role`')),
  resource_instance: t.maybe(t.described(t.Text, '`type:key` on which it is assigned')),
  user_set: t.maybe(t.described(t.Text, 'of a set rule: the user set, or a role in its place')),
  resource_set: t.maybe(t.described(t.Text, 'of a set rule: the resource set, or a resource type in its place')),
})
export type TestBecause = t.Static<typeof TestBecause>

const Where = {
  tenant: t.maybe(t.described(t.Text, 'without it that of the stored resource, else `default`')),
  context: t.maybe(Attributes),
}

/** One question, or one for each of several actions. */
export const LongExpectation = t.closed({
  user: TestUser,
  action: Words,
  resource: TestResource,
  ...Where,
  allow: t.Flag,
  because: t.maybe(TestBecause),
})
export type LongExpectation = t.Static<typeof LongExpectation>

/** Which of the actions each user may do; the others are denied. */
export const TableExpectation = t.closed({
  resource: TestResource,
  ...Where,
  actions: t.maybe(t.described(t.Texts, 'the columns; without it all actions of the resource type')),
  may: t.described(t.mapOf(Words), 'actions by user'),
})
export type TableExpectation = t.Static<typeof TableExpectation>

/** What may be added to a policy for a test. */
export const Facts = t.closed(
  t.membersOf(
    PolicyFile,
    'tenants',
    'users',
    'memberships',
    'resource_instances',
    'relationship_tuples',
    'role_assignments',
  ),
)
export type Facts = t.Static<typeof Facts>

/** The whole file. The members of an expectation show which form it has. */
export const TestFile = t.named(
  'PolicyTestFile',
  t.closed({
    name: t.maybe(t.described(t.Text, 'a name for reports')),
    now: t.maybe(
      t.described(t.Text, 'the time of all questions, such as 2026-01-31T12:00:00Z; without it that of the run'),
    ),
    facts: t.maybe(
      t.described(Facts, 'added to those of the policy, for this file only; in the form of the policy file'),
    ),
    expect: t.listOf(t.schemaOf<unknown>({})),
  }),
)
export type TestFile = t.Static<typeof TestFile>
