// The four conditions of the specification under which a migration is complete, each with its evidence. A condition
// without a means to check it is open, not fulfilled.
import type { Api } from './api-client.ts'
import { AskedPdp, type Question, versionOf, wordsOf } from './checks.ts'
import { scanFolder } from './scan/scan.ts'
import { isWhole, notSearched } from './scan/summary.ts'
import { isListed, requireNames, strangeProjects } from './survey.ts'
import { counted, readOrganization } from './world.ts'

export interface Condition {
  readonly condition: string
  readonly holds: boolean
  readonly evidence: readonly string[]
}

export interface StatusOptions {
  readonly ours: readonly string[]
  /** addresses of every PDP that runs */
  readonly pdps: readonly string[]
  /** checks with the expected answer of each PDP, and the API key for the PDPs */
  readonly expected: readonly (Question & { readonly allow?: boolean })[]
  readonly pdpKey: string | undefined
  /** folders of code, what to exclude, and further hosts of v1 */
  readonly code: readonly string[]
  readonly ignore: readonly string[]
  readonly hosts: readonly string[]
}

export async function statusOf(api: Api, options: StatusOptions): Promise<Condition[]> {
  return [await onlyOurs(api, options), await onlyV2(options), await expectedAnswers(options), noUses(options)]
}

async function onlyOurs(api: Api, { ours }: StatusOptions): Promise<Condition> {
  const organization = await readOrganization(api)
  requireNames(organization, ours)
  const { environments } = organization
  const foreign = environments.filter((environment) => !isListed(environment, ours)).map(({ name }) => name)
  const strange = strangeProjects(organization, ours)
  return {
    condition: 'every project and environment was made by the team',
    holds: foreign.length + strange.length === 0,
    evidence: [
      `${counted(environments.length, 'environments')}, ${environments.length - foreign.length} of them in the list`,
      ...foreign.map((name) => `${name} is not in the list`),
      ...strange.map((name) => `${name} is an empty project that is not in the list`),
    ],
  }
}

async function onlyV2({ pdps }: StatusOptions): Promise<Condition> {
  const condition = 'no PDP of v1 runs, and every PDP is of v2'
  if (pdps.length === 0) return { condition, holds: false, evidence: ['not shown: name the PDPs with --pdp'] }
  const evidence: string[] = []
  let holds = true
  for (const url of pdps) {
    const { apiVersion, words } = await versionOf(url)
    if (apiVersion === undefined || apiVersion < 2) holds = false
    evidence.push(`${url}: ${words}`)
  }
  return { condition, holds, evidence }
}

async function expectedAnswers({ pdps, expected, pdpKey }: StatusOptions): Promise<Condition> {
  const condition = 'a check through each PDP gives what is expected for a user who was moved'
  const known = expected.filter(({ allow }) => allow !== undefined)
  if (pdps.length === 0 || known.length === 0 || pdpKey === undefined) {
    return {
      condition,
      holds: false,
      evidence: [
        'not shown: name the PDPs with --pdp, their key with PDP_API_KEY, and checks with `allow` with --checks',
      ],
    }
  }
  const evidence: string[] = []
  let holds = true
  for (const url of pdps) {
    const pdp = new AskedPdp(url, pdpKey, 2)
    let wrong = 0
    for (const question of known) {
      const told = await pdp.check(question).catch((error: Error) => error.message)
      if (told === question.allow) continue
      wrong++
      evidence.push(`${url}: ${wordsOf(question)}: expected ${question.allow}, got ${told}`)
    }
    if (wrong > 0) holds = false
    evidence.push(`${url}: ${known.length - wrong} of ${known.length} checks as expected`)
  }
  return { condition, holds, evidence }
}

function noUses({ code, ignore, hosts }: StatusOptions): Condition {
  const condition = 'no code has a /v1/ path or a write call of an old SDK'
  if (code.length === 0) return { condition, holds: false, evidence: ['not shown: name the folders with --code'] }
  const reports = code.map((path) => ({ path, report: scanFolder(path, { ignore, hosts }) }))
  return {
    condition,
    holds: reports.every(({ report }) => report.findings.length === 0 && isWhole(report)),
    evidence: reports.flatMap(({ path, report }) => [
      `${path}: ${counted(report.findings.length, 'uses')} in ${counted(report.files, 'files')}`,
      ...notSearched(report).map((words) => `${path}: ${words}`),
      ...(isWhole(report)
        ? []
        : [`${path}: what could not be read may hold uses: leave it out with --ignore if it does not`]),
      ...report.findings.map(({ file, line, found }) => `${path}/${file}:${line} ${found}`),
    ]),
  }
}
