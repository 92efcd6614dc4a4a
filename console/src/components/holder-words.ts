// Words for who has a role: a user, or everyone (D16).

/** Stands in an assignment for everyone. */
export const EVERYBODY = '*'

export const EVERYBODY_WARNING = 'Everyone includes unknown users and people who are not signed in.'

/** In sentences. */
export const holderName = (user: string): string => (user === EVERYBODY ? 'everyone' : user)
