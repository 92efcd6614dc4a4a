// The command line of `zerohop why`. why.ts runs it and is loaded only then.
import { type Command, Option } from 'commander'
import { ZerohopError } from '../../model/errors.ts'
import { readEnv } from '../configuration/env.ts'
import { fail } from '../process/process.ts'
import { examples, FOLDER, ORGANIZATION, refusesUsage, WRONG_USAGE } from '../terminal/command-line.ts'
import type { WhyOptions } from './why.ts'

/** Exit code without an answer, which must not read as a deny. */
const UNDECIDED = 2

/** What --at, --api and --data cannot ask. */
const OTHERS = ['pdp', 'image', 'policy']

type Asked = [user: string, action: string, resource: string]
type WhyArguments = WhyOptions & { readonly decision?: string }

/** Adds `why`. */
export function addWhy(program: Command): void {
  refusesUsage(program.command('why'))
    .description('why an action is allowed, or what would allow it; exit code 0 allow, 1 deny, 2 could not decide')
    .argument('[user]', 'user key')
    .argument('[action]', 'action key')
    .argument('[resource]', 'resource type, or type:key')
    .option('--decision <id>', 'explain a recorded decision: the result then, and whether it would be the same now')
    .option('--tenant <key>', 'tenant (from the stored resource, else default)')
    .option('--attributes <json>', 'attributes of the resource, sent with the check')
    .option('--user-attributes <json>', 'attributes of the user, sent with the check')
    .option('--context <json>', 'context, sent with the check')
    .option('--relations <json>', 'relations of the resource, sent with the check: {"parent": ["folder:f1"]}')
    .addOption(new Option('--tree', 'as a tree with lines').conflicts('json'))
    .option('--json', 'as one JSON object')
    .addOption(new Option('--image <file>', 'ask an image file instead of a running PDP').conflicts(['pdp', 'policy']))
    .addOption(
      new Option('--policy <files...>', 'ask policy files with their facts instead, without a server').conflicts('pdp'),
    )
    .option(
      '--pdp <url>',
      'address of the PDP (http://127.0.0.1:7000); the key is PDP_API_KEY, or that of development in keys.json',
    )
    .addOption(new Option('--at <when>', 'as of a revision, or a time such as 2026-11-20T08:30:00Z').conflicts(OTHERS))
    .addOption(
      new Option(
        '--api <url>',
        'ask a management API instead, in the same way (with --at: ZEROHOP_API, `api` of zerohop.yaml)',
      ).conflicts(OTHERS),
    )
    .addOption(new Option('--data <folder>', FOLDER).conflicts(OTHERS))
    .option('--organization <key>', ORGANIZATION)
    .option('--project <project>', 'with --api, --data or --at: from the key, else from zerohop.yaml')
    .option('--environment <environment>', 'with --api, --data or --at: from the key, else from zerohop.yaml')
    .addHelpText(
      'after',
      examples(
        'zerohop why ana say hello',
        'zerohop why ben write invoice:17 --tenant acme --tree',
        'zerohop why ben write invoice:17 --at 2026-11-20T08:30:00Z',
        'zerohop why --decision 019365b2c4d1000000010000000000a7',
        `zerohop why eve read document --attributes '{"department": "hr"}' --image policy.image`,
      ),
    )
    .action(async (user: string | undefined, action: string, resource: string | undefined, options: WhyArguments) => {
      try {
        const { decision } = options
        if ((decision === undefined) === (resource === undefined) || (decision !== undefined && user !== undefined))
          throw new ZerohopError('INPUT_INVALID', {
            reason: 'give either user, action and resource, or only --decision',
          })
        if (decision !== undefined) {
          const { whyDecision } = await import('./why-decision.ts')
          process.exitCode = await whyDecision(readEnv(), decision, options)
          return
        }
        const { runWhy } = await import('./why.ts')
        process.exitCode = await runWhy(readEnv(), [user, action, resource] as Asked, options)
      } catch (error) {
        fail(error, isUsage(error) ? WRONG_USAGE : UNDECIDED)
      }
    })
}

/** Whether the caller wrote something that cannot be read. */
const isUsage = (error: unknown): boolean => (error as { code?: unknown }).code === 'INPUT_INVALID'
