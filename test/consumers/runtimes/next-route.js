// Copied into the Next application of examples/next: follows in the server that `next start` runs.
import { follow } from '../../follow.mjs'

export const dynamic = 'force-dynamic'

export function GET() {
  void follow(JSON.parse(process.env.FOLLOW))
  return new Response('following')
}
