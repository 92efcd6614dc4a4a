// The next snapshot, before the one that came with the page ends. Never from a shared cache: it is of one user.
import { makeSnapshot, session } from '../authorization.js'

export async function GET() {
  const who = await session()
  if (who === undefined) return Response.json({ error: 'sign in first' }, { status: 401 })
  return Response.json(await makeSnapshot(who), { headers: { 'cache-control': 'private, no-store' } })
}
