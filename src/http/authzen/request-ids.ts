// The id of a request, which AuthZEN answers echo exactly as it was sent.

const ASCII = /^[\x20-\x7e\t]*$/

/** Whether node writes the id as it was sent: beside a text as body it writes headers as UTF-8, too. */
export const isEchoedAsSent = (id: string): boolean => ASCII.test(id)
