// The importer of CASL: rules of roles as JSON, packed, or from a module. docs/moving.md says what becomes of each
// construct.
import { inOrder } from '../../management/policy-file/problem.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { Finding, Importer, ImporterOptions, Reading } from '../frame/importer.ts'
import { convertRules } from './conversion.ts'
import { openCasl } from './engine.ts'
import { makeQuestions, makeTest } from './questions.ts'
import { type RuleFiles, readRuleFiles } from './rule-files.ts'

export const importer: Importer = {
  async read(named, options): Promise<Reading> {
    if (named.length < 1)
      throw new ZerohopError('CONFIG_INVALID', {
        reason: 'name files with rules: editor.json, which are those of the role `editor`, or roles.mjs',
      })
    const files = await readRuleFiles(named)
    const { sources } = files
    if (files.problems.length > 0) return { problems: inOrder(files.problems, named), sources }
    try {
      return await convert(files, named, options)
    } catch (error) {
      if (!isZerohopError(error, 'INPUT_INVALID') && !isZerohopError(error, 'KEY_TOO_LONG')) throw error
      const place = { file: named[0] ?? '', line: 1, column: 1, length: 1 }
      return { problems: [{ severity: 'error', message: error.message, place }], sources }
    }
  },
}

async function convert({ roles }: RuleFiles, named: readonly string[], options: ImporterOptions): Promise<Reading> {
  const engine = await openCasl(roles)
  const chosen = {
    isPlain: options.plainValues === true,
    closedNames: options.closedNames === true,
    userKey: typeof options.userKey === 'string' ? options.userKey : undefined,
  }
  const { policy, findings, roles: read, names } = convertRules(roles, chosen)
  const questions = makeQuestions(read, names, chosen)
  const order = new Map(named.map((name, index) => [name, index]))
  const rank = ({ file }: Finding): number => order.get(file) ?? 0
  return {
    imported: {
      ...{ policy, facts: [], questions },
      findings: findings.toSorted((one, other) => rank(one) - rank(other) || one.line - other.line),
      helper: names.subjects === undefined ? WITHOUT_SUBJECTS : WITH_SUBJECTS,
      tests: await makeTest(questions, (asked) => engine.ask(asked)),
      open: () => Promise.resolve(engine),
    },
    problems: [],
  }
}

const WITH_SUBJECTS = `/** What \`ability.can(action, subject(type, attributes))\` asked, for \`pdp.check(user, action, resource)\`. */
export const toQuestion = (user, action, type, attributes) => ({
  user: userKey(user),
  action: key(action),
  resource: { type: key(type), tenant: 'default', attributes },
})
`
const WITHOUT_SUBJECTS = `/** What \`ability.can(action)\` asked, for \`pdp.check(user, action, resource)\`. */
export const toQuestion = (user, action) => ({
  user: userKey(user),
  action: key(action),
  resource: { type: 'application', tenant: 'default' },
})
`
