// Reports of policy tests: word for word for people, and as machines read them. Names are hostile here, because they
// come from files.
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { hasPassed, type Reporter, report } from '../../src/policy-test/report.ts'
import { runTests, type TestRun } from '../../src/policy-test/run-tests.ts'
import { POLICY, testFile } from './invoices.ts'

const TESTS = testFile(`  - ana may read invoice in acme
  - ben may write invoice:17
  - ana may not [approve] invoice:17
  - who may write invoice:17: [ana, ben]
  - { user: ana, action: read, resource: invoice, tenant: acme, allow: true, because: { role: viewer } }
  - zoe may read invoice
`)
const run = runTests([POLICY], [TESTS], { now: 0, coverage: true, mutants: true })

describe('the report for people', () => {
  it('has the line of each failure, why, and what is not used or not noticed', async () => {
    await expect(report(run, 'pretty', { coverage: 50 })).toMatchFileSnapshot('../golden/policy-tests.txt')
  })

  it('passes only without failures, without errors, and with enough coverage', () => {
    const good = runTests([POLICY], [testFile('  - ana may read invoice in acme\n')], { now: 0, coverage: true })
    expect([
      hasPassed(run, {}),
      hasPassed(good, {}),
      hasPassed(good, { coverage: 13.3 }),
      hasPassed(good, { coverage: 13.4 }),
    ]).toEqual([false, true, true, false])
    const wrong = runTests([POLICY], [testFile('  - zoe may read invoice\n')], { now: 0 })
    expect(hasPassed(wrong, {})).toBe(false)
  })
})

const HOSTILE = `a<b>&"'c\u001b[2J\u0000\ud800]]>\uffff#\u202e`
const hostile: TestRun = {
  problems: [],
  files: [
    {
      file: HOSTILE,
      name: HOSTILE,
      results: [
        { text: HOSTILE, line: 1, failure: { message: HOSTILE, why: [HOSTILE, '  second'] } },
        { text: 'fine', line: 2 },
      ],
    },
  ],
}

describe('the report for machines', () => {
  it('is JUnit XML, which a strict parser reads', () => {
    const { tags, text } = parsed(report(run, 'junit', { coverage: 50 }))
    expect(tags.filter(([name]) => name === 'testsuites')).toEqual([
      ['testsuites', { name: 'zerohop test', tests: '7', failures: '4', errors: '2' }],
    ])
    expect(
      tags.filter(([name]) => name === 'testsuite').map(([, { name, tests, failures }]) => [name, tests, failures]),
    ).toEqual([
      ['tests/invoices.yaml', '5', '4'],
      ['files', '2', '0'],
    ])
    expect(tags.filter(([name]) => name === 'testcase').map(([, attributes]) => attributes.line)).toEqual([
      '17',
      '18',
      '19',
      '20',
      '21',
      undefined,
      undefined,
    ])
    expect(tags.filter(([name]) => name === 'error').map(([, { message }]) => message)).toEqual([
      'tests/invoices.yaml:22:5: error: user `zoe` does not exist: choose from ana, ben, eve',
      'coverage is 13.3 %, below 50 %',
    ])
    expect(text).toContain('resource.amount is 500, which is less than 1000')
  })

  it('keeps every name in its place: nothing in it ends an element, an attribute or the document', () => {
    const shown = `a<b>&"'c\ufffd[2J\ufffd\ufffd]]>\ufffd#\ufffd`
    const { tags, text } = parsed(report(hostile, 'junit', {}))
    expect(tags.map(([name]) => name)).toEqual(['testsuites', 'testsuite', 'testcase', 'failure', 'testcase'])
    expect([tags[1]![1].name, tags[2]![1].classname, tags[3]![1].message]).toEqual([shown, shown, shown])
    expect(text.trim()).toBe(`${shown}\n  second`)
  })

  it('is TAP, with one line for each expectation', () => {
    const lines = report(hostile, 'tap', {}).split('\n')
    const shown = 'a<b>&"\'c\ufffd[2J\ufffd\ufffd]]>\ufffd\\#\ufffd'
    expect(lines.filter((line) => /^(TAP|1\.\.|ok|not ok)/.test(line))).toEqual([
      'TAP version 13',
      '1..2',
      `not ok 1 - ${shown}:1: ${shown}`,
      'ok 2 - a<b>&"\'c\ufffd[2J\ufffd\ufffd]]>\ufffd\\#\ufffd:2: fine',
    ])
    expect(report(run, 'tap', { coverage: 50 })).toMatch(/\nnot ok 7 - coverage is 13\.3 %, below 50 %\n$/)
  })

  it('is JSON with everything', () => {
    const json = JSON.parse(report(run, 'json', {}))
    expect(json).toMatchObject({ passed: 1, failed: 4, ok: false, coverage: { percent: 13.3 }, mutants: { total: 12 } })
    expect(json.files[0].results[1]).toMatchObject({
      text: 'ben may write invoice:17',
      line: 18,
      failure: { why: expect.any(Array) },
    })
  })

  it.each<Reporter>(['pretty', 'junit', 'tap', 'json'])('as %s never writes to a terminal', (reporter) => {
    expect(report(hostile, reporter, {})).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
  })
})

/** The elements of a document in their order, and its text. @throws on anything that XML does not allow */
function parsed(xml: string): { tags: [string, Record<string, string>][]; text: string } {
  const tags: [string, Record<string, string>][] = []
  let text = ''
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => void tags.push([name, { ...(attributes as Record<string, string>) }]))
  parser.on('text', (part) => {
    text += part
  })
  parser.write(xml).close()
  return { tags, text }
}
