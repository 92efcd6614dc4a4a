// The JSON Schema of test files, for editors, made from the very schemas that `zerohop test` compares them with.
// Written when the project is built (scripts/build-dist.mjs); no command loads it.
import { jsonSchemaOf } from '../http/policy-json-schema.ts'
import { anyOf, closed, described, listOf, membersOf, named, schemaOf, Texts } from '../model/json-schema.ts'
import { LINE_PATTERN, LIST_HEAD_PATTERN } from '../policy-test/short-line.ts'
import { LongExpectation, TableExpectation, TestFile } from '../policy-test/test-file.ts'

const Line = described(
  schemaOf<string>({ type: 'string', pattern: LINE_PATTERN }),
  '`USER may ACTION RESOURCE` or `USER may not ACTION RESOURCE`, and `in TENANT` after it',
)
const List = schemaOf<object>({
  type: 'object',
  description: '`who may ACTION RESOURCE`, with the exact list of users',
  minProperties: 1,
  maxProperties: 1,
  patternProperties: { [LIST_HEAD_PATTERN]: Texts },
  additionalProperties: false,
})

/** Names are judged by `zerohop test`. */
export function testJsonSchema(): object {
  const others = membersOf(TestFile, 'name', 'now', 'facts')
  const expectations = described(
    listOf(anyOf(Line, described(LongExpectation, 'a question'), described(TableExpectation, 'a table'), List)),
    'what is expected: lines, questions, tables of users and actions, and lists of who may',
  )
  return jsonSchemaOf(named('PolicyTestFile', closed({ ...others, expect: expectations })), 'Policy tests of Zerohop')
}
