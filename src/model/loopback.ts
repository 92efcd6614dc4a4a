// Which hosts are this machine.

/** True for a host name or address, as in a URL or without brackets, that always means the local machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}
