// The JSON Schema of test files, for editors, made from the very schemas that `zerohop test` compares them with.
// Written when the project is built (scripts/build-dist.mjs); no command loads it.
import { makeJsonSchema } from '../http/policy-json-schema.ts'
import * as t from '../model/json-schema.ts'
import { LINE_PATTERN, LIST_HEAD_PATTERN } from '../policy-test/short-line.ts'
import { LongExpectation, TableExpectation, TestFile } from '../policy-test/test-file.ts'

const Line = t.described(
  t.schemaOf<string>({ type: 'string', pattern: LINE_PATTERN }),
  '`USER may ACTION RESOURCE` or `USER may not ACTION RESOURCE`, and `in TENANT` after it',
)
const List = t.schemaOf<object>({
  type: 'object',
  description: '`who may ACTION RESOURCE`, with the exact list of users',
  minProperties: 1,
  maxProperties: 1,
  patternProperties: { [LIST_HEAD_PATTERN]: t.Texts },
  additionalProperties: false,
})

/** Names are judged by `zerohop test`. */
export function testJsonSchema(): object {
  const others = t.membersOf(TestFile, 'name', 'now', 'facts')
  const expectations = t.described(
    t.listOf(t.anyOf(Line, t.described(LongExpectation, 'a question'), t.described(TableExpectation, 'a table'), List)),
    'what is expected: lines, questions, tables of users and actions, and lists of who may',
  )
  return makeJsonSchema(
    t.named('PolicyTestFile', t.closed({ ...others, expect: expectations })),
    'Policy tests of Zerohop',
  )
}
