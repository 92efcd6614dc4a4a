// The folder of records of decisions: what could not be made once is made when it can be.
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { formatLine } from '../../src/client/decision-record.ts'
import { FolderAuditLog } from '../../src/decision-log/folder-audit-log.ts'
import { temporaryFolder } from '../support/folders.ts'
import { RECORD } from './support.ts'

it('a folder that could not be made takes records as soon as it can be', async () => {
  const data = temporaryFolder('audit')
  writeFileSync(join(data, 'audit'), 'in the way')
  const log = new FolderAuditLog(data)
  const instance = randomBytes(16).toString('hex')
  const batch = { lines: Buffer.from(`{"instance":"${instance}","seq":1${formatLine(RECORD, 0)}`), isCompressed: false }
  await expect(log.append(batch)).rejects.toThrow()
  await expect(log.append(batch)).rejects.toThrow()
  rmSync(join(data, 'audit'))
  expect(await log.append(batch)).toMatchObject({ stored: 1 })
  expect(await log.count(RECORD.environment)).toBe(1)
  await log.close()
})
