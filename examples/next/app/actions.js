'use server'
// Every action is checked here, whatever the page showed.
import { revalidatePath } from 'next/cache'
import { cookies } from 'next/headers'
import { decisions, session, toDocument } from './authorization.js'

export async function signIn(name) {
  ;(await cookies()).set('user', name, { sameSite: 'strict', httpOnly: true })
  revalidatePath('/')
}

/** The sentence that the page shows, or nothing. A document that may not be read is answered like one that is not there. */
export async function rename(id, title) {
  const who = await session()
  if (who === undefined) return 'Sign in first'
  const pdp = await decisions()
  const stored = globalThis.documents.find((each) => each.id === id && each.tenant === who.tenant)
  if (stored === undefined || !pdp.check(who.user, 'read', toDocument(stored))) return 'There is no such document'
  if (!pdp.check(who.user, 'edit', toDocument(stored))) return 'You may not edit this document'
  stored.title = String(title)
  revalidatePath('/')
}
