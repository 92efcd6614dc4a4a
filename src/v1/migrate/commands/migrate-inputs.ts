// Reads what the options of a step name: the API, the lists and the files.
import { existsSync, readFileSync } from 'node:fs'
import type { Env } from '../../../cli/configuration/env.ts'
import { sayRetry } from '../../../cli/terminal/print-warnings.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { Api } from '../api-client.ts'
import type { Report } from '../report.ts'
import { readOurs } from '../survey.ts'
import { refused } from '../world.ts'
import type { ApiOptions } from './migrate-options.ts'

/** @throws CONFIG_INVALID without the key of the organization */
export function apiOf({ integration, organizationKey }: Env, options: ApiOptions): Api {
  if (organizationKey === undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: 'ZEROHOP_ORGANIZATION_KEY is not set: it is the API key of the organization',
    })
  return new Api(options.api ?? integration.apiUrl, organizationKey, sayRetry)
}

/** The names in the team's list (--ours); empty without a list. */
export function oursOf({ ours }: ApiOptions): string[] {
  return ours === undefined ? [] : readOurs(readText(ours))
}

/** @throws MIGRATION_REFUSED when there is no such report */
export function readReport(path: string): Report {
  if (!existsSync(path)) throw refused(`there is no report ${path}: run zerohop migrate verify first`)
  const isReport = (value: unknown): value is Report => typeof value === 'object' && value !== null && 'format' in value
  try {
    const report: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isReport(report)) return report
  } catch {
    // reported below
  }
  throw refused(`${path} is not a report of zerohop migrate verify`)
}

/** @throws MIGRATION_REFUSED when the file cannot be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refused(`\`${path}\` cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
