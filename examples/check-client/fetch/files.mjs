/** Uploads files to a new workspace, downloads them again, and removes the first file. */
export async function exchangeFiles(client, given) {
  const { id } = await client.call('POST', '/workspaces', { json: { name: 'check' } });
  const files = given.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }));
  await upload(client, id, files);
  const found = await download(client, id);
  await client.call('DELETE', `/workspaces/${id}/files?path=${encodeURIComponent(found[0].path)}`);
  return { files: found.map(({ path, bytes }) => ({ path, base64: bytes.toString('base64') })) };
}

/** Uploads files to a workspace: reserves an upload URL for each file, then sends each file to its URL. */
async function upload({ call }, workspace, files) {
  const announced = files.map(({ name, contentType, bytes }) => ({ name, contentType, size: bytes.length }));
  const { files: places } = await call('POST', `/workspaces/${workspace}/files/upload`, { json: { files: announced } });
  for (const [at, { contentType, bytes }] of files.entries()) {
    const headers = { 'Content-Type': contentType };
    const { status } = await fetch(places[at].uploadUrl, { method: 'PUT', headers, body: bytes });
    if (status >= 300) throw new Error(`the upload of ${places[at].name} was answered with ${status}`);
  }
}

/**
 * Returns the files of a workspace, at most 100, with their bytes. Requests a new URL for a file whose URL has expired.
 */
async function download({ call }, workspace) {
  const list = async () => (await call('GET', `/workspaces/${workspace}/files?includeUrls=true&limit=100`)).files;
  const done = [];
  for (const { path, url } of await list()) {
    let response = await fetch(url);
    if (response.status === 403) response = await fetch((await list()).find((file) => file.path === path).url);
    if (response.status >= 300) throw new Error(`the download of ${path} was answered with ${response.status}`);
    done.push({ path, bytes: Buffer.from(await response.arrayBuffer()) });
  }
  return done;
}
