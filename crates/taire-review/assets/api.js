// Calls to the program that serves this page, and nothing else.

const held = "taire-token";

/** Takes the token out of the address; only this tab keeps it, and nothing of an earlier run. */
export function takeToken() {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.clear();
    sessionStorage.setItem(held, found[1]);
    history.replaceState(null, "", "/#/");
  }
}

export class Problem extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function post(name, body) {
  let response;
  try {
    response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${sessionStorage.getItem(held) ?? ""}` },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, "gone", "");
  }
  if (response.ok) return response;
  let error = {};
  try {
    error = (await response.json()).error ?? {};
  } catch { /* not one of ours */ }
  throw new Problem(response.status, error.code ?? "fault", error.message ?? "");
}

export async function call(name, body = {}) {
  return (await post(name, body)).json();
}

/** Keeps an answer as a file. */
export async function download(name, body) {
  const response = await post(name, body);
  const file = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "taire";
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return file;
}
