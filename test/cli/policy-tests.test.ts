// `zerohop test` and `zerohop why --policy` as somebody with a folder of files meets them. Needs the build.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { POLICY, testFile } from '../policy-test/invoices.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere as run } from '../support/run-here.ts'

it('tests the files of the folder, of zerohop.yaml, or those that are named, and explains from them', async () => {
  const folder = temporaryFolder('policy-tests')
  const inside = join(folder, 'below')
  mkdirSync(join(folder, 'checks'))
  mkdirSync(inside)
  writeFileSync(join(folder, 'zerohop.yaml'), 'files: [invoices.yaml]\ntests: [checks]\n')
  writeFileSync(join(folder, 'invoices.yaml'), POLICY.text)
  writeFileSync(join(folder, 'checks/good.yaml'), testFile('  - ana may read invoice in acme\n').text)
  writeFileSync(join(folder, 'bad.yaml'), testFile('  - ben may write invoice:17\n').text)
  expect(await run(['test'], {}, inside)).toEqual({ code: 0, out: '1 expectation met, 0 not met\n', err: '' })
  const failed = await run(['test', '../bad.yaml', '../checks', '--reporter', 'junit', '--coverage'], {}, inside)
  expect([failed.code, failed.out]).toEqual([
    1,
    expect.stringContaining('<testsuites name="zerohop test" tests="2" failures="1"'),
  ])
  expect(await run(['test', '--coverage', '50'], {}, folder)).toMatchObject({
    code: 1,
    out: expect.stringContaining('coverage: 13.3 % (2 of 15 rules and branches), below 50 %'),
  })
  expect((await run(['test', '--reporter', 'xml'], {}, folder)).code).toBe(64)
  const why = await run(['why', 'ana', 'read', 'invoice', '--policy', 'invoices.yaml'], {}, folder)
  expect(why).toEqual({
    code: 1,
    out: 'deny: ana cannot read invoice in tenant default\n  user ana does not exist\n',
    err: '',
  })
})
