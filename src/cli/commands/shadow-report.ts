// `zerohop shadow report`: files of differences, read line by line, become groups.
import { createReadStream } from 'node:fs'
import { ZerohopError } from '../../model/errors.ts'
import { printShadowReport } from '../../shadow/print-report.ts'
import { ReportMaker } from '../../shadow/report.ts'
import { wholeLines } from './line-files.ts'

export interface ShadowReportOptions {
  readonly json?: boolean
}

/** Prints the report. Returns the exit code: 1 while there is a difference. @throws CONFIG_INVALID, LIMIT_EXCEEDED */
export async function reportShadow(files: readonly string[], { json = false }: ShadowReportOptions): Promise<number> {
  const maker = new ReportMaker()
  for (const file of files) {
    try {
      for await (const { bytes } of wholeLines(createReadStream(file), 'keep'))
        for (const line of bytes.toString().split('\n')) maker.add(line)
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EISDIR') throw error
      throw new ZerohopError('CONFIG_INVALID', { reason: `${file} cannot be read (${code})` })
    }
  }
  const report = maker.make()
  const { differences, counts, unreadable } = report
  // without this, a wrong file would look like a run that found nothing
  if (unreadable > 0 && differences === 0 && counts === null)
    throw new ZerohopError('CONFIG_INVALID', { reason: `${files.join(', ')}: not a file of a shadow run` })
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : printShadowReport(report))
  return differences > 0 ? 1 : 0
}
