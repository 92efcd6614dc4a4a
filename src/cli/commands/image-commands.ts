// The command line of `zerohop image`: names, options and help. image-files.ts implements the commands and is loaded
// only when one runs.
import { type Command, Option } from 'commander'
import { readEnv } from '../configuration/env.ts'
import { attempt, examples } from '../terminal/command-line.ts'
import { POLICY_FILES } from './policy-commands.ts'

/** Adds `image` and its commands. */
export function addImage(program: Command): void {
  const image = program.command('image').description('builds, verifies, signs, shows and fetches image files')
  image
    .command('build')
    .description(
      'makes an image file of policy files, without a server; signed when ZEROHOP_IMAGE_SIGNING_KEY is set. The same files give the same bytes',
    )
    .argument('[files...]', POLICY_FILES)
    .addOption(new Option('-o, --output <file>', 'the image file').makeOptionMandatory())
    .addHelpText(
      'after',
      examples('zerohop image build -o policy.image', 'zerohop image build policy.yaml facts/ -o policy.image'),
    )
    .action((files: readonly string[], options: { output: string }) =>
      attempt(async () =>
        (await import('./image-build.ts')).buildImage(files, options.output, readEnv().imageSigningKey),
      ),
    )
  image
    .command('verify')
    .description('loads an image file and verifies its contents, and with PDP_IMAGE_PUBLIC_KEY its signature')
    .argument('<file>')
    .addHelpText(
      'after',
      examples(
        'zerohop image verify policy.image',
        'PDP_IMAGE_PUBLIC_KEY=public.pem zerohop image verify policy.image',
      ),
    )
    .action((file: string) =>
      attempt(async () => (await import('./image-files.ts')).verifyImage(file, readEnv().imagePublicKey)),
    )
  image
    .command('sign')
    .description('signs an image file with the key of ZEROHOP_IMAGE_SIGNING_KEY')
    .argument('<file>')
    .addHelpText(
      'after',
      examples('ZEROHOP_IMAGE_SIGNING_KEY=/run/secrets/signing.pem zerohop image sign policy.image'),
    )
    .action((file: string) =>
      attempt(async () => (await import('./image-files.ts')).signImage(file, readEnv().imageSigningKey)),
    )
  image
    .command('inspect')
    .description('prints figures and identity of an image file')
    .argument('<file>')
    .option('--json', 'as one JSON object')
    .addHelpText('after', examples('zerohop image inspect policy.image', 'zerohop image inspect policy.image --json'))
    .action((file: string, options: { json?: boolean }) =>
      attempt(async () => (await import('./image-files.ts')).inspectImage(file, options)),
    )
  image
    .command('pull')
    .description('fetches the image of the environment of PDP_API_KEY from PDP_CONTROL_PLANE')
    .argument('<file>')
    .addHelpText(
      'after',
      examples('PDP_API_KEY=… PDP_CONTROL_PLANE=http://localhost:8080 zerohop image pull policy.image'),
    )
    .action((file: string) => attempt(async () => (await import('./image-files.ts')).pullImage(readEnv(), file)))
}
