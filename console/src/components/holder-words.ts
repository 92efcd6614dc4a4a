// Words for who has a role: a user or everybody (D16).

/** Stands in an assignment for everybody. */
export const EVERYBODY = '*'

export const EVERYBODY_WARNING = 'Everybody includes unknown users and people who are not signed in.'

/** In sentences. */
export const holderName = (user: string): string => (user === EVERYBODY ? 'everybody' : user)
