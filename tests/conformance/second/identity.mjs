// A second implementation of Holdfast's identity, written from docs/reference/identity/ alone: lines of JSON in, lines of
// JSON out. Of Node it takes the URL parser, NFC and the hashes; everything else is here.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const hash = (kind, data) => createHash(kind).update(data).digest("hex");
const sha256 = (text) => hash("sha256", text);
const hash8 = (text) => hash("md5", text).slice(0, 8);
const vectors = new URL("../../vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, vectors), "utf8"));

// --- canonical URLs ---

const UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
const PATH = new Set(UNRESERVED + "!$&'()*+,;=:@/");
const QUERY = new Set(UNRESERVED + "!$&()*,;=:@/?");
const unreserved = new Set(UNRESERVED);
const LISTS = Object.fromEntries(
  [1, 2].map((version) => {
    const tables = Object.fromEntries(read(`trackers_v${version}.json`).map(({ table, keys }) => [table, keys]));
    return [version, { names: new Set(tables.names), prefixes: tables.prefixes }];
  }),
);
const SCHEME = /^[\x00-\x20]*[A-Za-z][A-Za-z0-9+.\-\t\r\n]*:/;

function oneForm(text, kept) {
  const bytes = Buffer.from(text, "utf8");
  let out = "";
  for (let i = 0; i < bytes.length; i++) {
    const char = String.fromCharCode(bytes[i]);
    const digits = bytes.toString("latin1", i + 1, i + 3);
    if (char === "%" && /^[0-9A-Fa-f]{2}$/.test(digits)) {
      const decoded = String.fromCharCode(parseInt(digits, 16));
      out += unreserved.has(decoded) ? decoded : "%" + digits.toUpperCase();
      i += 2;
    } else {
      out += kept.has(char) ? char : "%" + bytes[i].toString(16).toUpperCase().padStart(2, "0");
    }
  }
  return out;
}

function matchedKey(pair) {
  const key = pair.split("=", 1)[0].slice(0, 4096).replaceAll("+", " ");
  const bytes = key.replace(/%([0-9A-Fa-f]{2})/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  return bytes.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function keeps(pair, name, version) {
  if (name === "docs") return false; // the allow-list is empty
  const { names, prefixes } = LISTS[version];
  const key = matchedKey(pair);
  return !names.has(key) && !prefixes.some((prefix) => key.startsWith(prefix));
}

function inOrder(one, other) {
  const parts = (pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, "", ""] : [pair.slice(0, at), "=", pair.slice(at + 1)];
  };
  const [a, b] = [parts(one), parts(other)];
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

function canonical(text, policy) {
  const [name, version] = policy.split("@");
  let url = null;
  try {
    url = text.isWellFormed() ? new URL(text) : null;
  } catch {
    url = null;
  }
  if (url === null) return { refused: SCHEME.test(text) ? "unparseable" : "relative" };
  if (!["http:", "https:"].includes(url.protocol)) return { refused: "scheme" };
  if (url.hostname.startsWith(".") || url.hostname.includes("..")) return { refused: "empty_label" };
  const host = url.hostname.replace(/\.$/, "");
  const path = oneForm(url.pathname.replace(/\/{2,}/g, "/"), PATH).replace(/\/+$/, "") || "/";
  const address = url.href.split("#", 1)[0];
  const query = address.includes("?") ? address.slice(address.indexOf("?") + 1) : "";
  let pairs = query.split("&").filter((pair) => pair !== "");
  pairs = pairs.map((pair) => oneForm(pair.replaceAll("+", "%20"), QUERY));
  pairs = pairs.filter((pair) => keeps(pair, name, version));
  if (name === "web") pairs.sort(inOrder);
  const found = `${url.protocol}//${host}${url.port ? ":" + url.port : ""}${path}${pairs.length ? "?" + pairs.join("&") : ""}`;
  return found.length > 8192 ? { refused: "too_long" } : { canonical: found, url_key: sha256(found) };
}

// --- names on disk ---

function membership(ranges) {
  const bounds = ranges.map((item) => item.split("-").map((point) => parseInt(point, 16)));
  return (char) => {
    const point = char.codePointAt(0);
    let [low, high] = [0, bounds.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const [first, last = first] = bounds[middle];
      if (point < first) high = middle - 1;
      else if (point > last) low = middle + 1;
      else return true;
    }
    return false;
  };
}

const tables = Object.fromEntries(read("letters_v1.json").map((row) => [row.table, membership(row.ranges)]));
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?=\.|$)/i;
const OURS = /^(?:index(?:__slash)?|.*_[0-9a-f]{8}|.*_[0-9a-f]{64}|[0-9a-f]{64})\.(?:md|json)$/is;
const HASH_END = /_(?:[0-9a-f]{8}|[0-9a-f]{64})$/;
const triplets = (text, upper = true) => {
  const hex = [...Buffer.from(text, "utf8")].map((byte) => "%" + byte.toString(16).padStart(2, "0")).join("");
  return upper ? hex.toUpperCase() : hex;
};
const size = (text) => [[...text].length, Buffer.byteLength(text, "utf8")];
const over = (text, room, chars, bytes) => size(text)[0] + room > chars || size(text)[1] + room > bytes;

function withLetters(segment, marks) {
  return segment.replace(/(?:%[89A-F][0-9A-F])+/g, (run) => {
    let text;
    try {
      text = decodeURIComponent(run);
    } catch {
      return run;
    }
    return [...text].map((char) => (tables.letters(char) || (marks && tables.marks(char)) ? char : triplets(char))).join("");
  });
}

function safe(name) {
  name = name.replace(/[:*]/g, (char) => triplets(char, false)).replace(/~(?=[0-9])/g, "%7E");
  if (/^[.-]/.test(name) || DEVICE.test(name)) name = triplets(name[0]) + name.slice(1);
  return name.endsWith(".") ? name.slice(0, -1) + "%2E" : name;
}

function escaped(segment) {
  const name = safe(withLetters(segment, true));
  if (!tables.marks([...name][0]) && name.normalize("NFC") === name) return name;
  return safe(withLetters(segment, false));
}

function cut(name, room) {
  const chars = [...name];
  let kept = chars.slice(0, 200 - room);
  while (Buffer.byteLength(kept.join(""), "utf8") > 240 - room) kept.pop();
  if (kept.length < chars.length) {
    const torn = kept.lastIndexOf("%");
    if (torn >= 0 && torn >= kept.length - 2) kept = kept.slice(0, torn);
  }
  return kept.join("");
}

const isFolded = (name) => name.normalize("NFC") === name && ![...name].some((char) => /[A-Z]/.test(char) || tables.unfolded(char));

function bounded(name, segment, folds, room = 0) {
  const isCut = over(name, room, 200, 240) || (HASH_END.test(name) && over(name, room, 196, 232));
  if (!isCut && !(folds && (HASH_END.test(name) || !isFolded(name)))) return [name, false];
  return [`${cut(name, 9 + room)}_${hash8(segment)}`, true];
}

function hostFolder(scheme, authority, folds, own) {
  const host = authority.replace(/:[0-9]+$/, "");
  let name = host.replace(/[^a-z0-9._-]/g, (char) => triplets(char, false));
  if (/^[-_.]/.test(name) || DEVICE.test(name) || ["llms.txt", "llms-full.txt"].includes(name)) {
    name = triplets(name[0], false) + name.slice(1);
  }
  name = name.replace(/__(https?)$/, "%5f_$1") + authority.slice(host.length).replace(":", "+");
  const tail = scheme === own ? "" : `__${scheme}`;
  const [kept, hashed] = bounded(name, authority, folds, tail.length);
  return [kept + tail, hashed];
}

function folder(segment, flat, folds) {
  let name = escaped(segment);
  if (flat ? /\.(?:md|json|txt)$/i.test(name) : OURS.test(name)) name = name.replace(/\.([^.]*)$/, "%2E$1");
  if (name.toLowerCase() === "_long") name = "%5F" + name.slice(1);
  return bounded(name, segment, folds);
}

function stemOf(leaf, folds, isPage) {
  let [stem, hashed] = folds ? bounded(escaped(leaf), leaf, true) : [escaped(leaf), false];
  if (!folds && isPage) stem = stem.replace(HASH_END, (end) => "%5F" + end.slice(1));
  if (stem.toLowerCase() === "index") stem = triplets(stem[0]) + stem.slice(1);
  return [stem, hashed];
}

function nameOf(url, layout) {
  const own = "https";
  const [, scheme, authority, rest] = /^(https?):\/\/([^/]*)\/(.*)$/s.exec(url);
  const [flat, folds] = [layout.startsWith("flat"), layout.endsWith("-fold")];
  const [host, hostHashed] = hostFolder(scheme, authority, folds, own);
  if (layout === "hash") return { host, path: `${host}/${sha256(url).slice(0, 16)}.md`, hashed: true };
  const at = rest.indexOf("?");
  const [path, query] = at < 0 ? [rest, null] : [rest.slice(0, at), rest.slice(at + 1)];
  const folders = path.split("/");
  const leaf = folders.pop();
  const isFile = query !== null || (leaf && flat);
  if (!isFile && leaf) folders.push(leaf);
  const named = folders.map((segment) => folder(segment, flat, folds));
  let [file, hashed] = [!leaf && path && !flat ? "index__slash.md" : "index.md", false];
  if (isFile) {
    let stem;
    [stem, hashed] = leaf ? stemOf(leaf, folds, query === null) : ["index", false];
    file = query === null ? `${stem}.md` : `${stem}__q_${hash8(query)}.md`;
    if (over(file, 0, 200, 240)) [file, hashed] = [`${cut(stem, 12).replace(/[_q]+$/, "")}_${hash8(url)}.md`, true];
    hashed = hashed || query !== null;
  }
  const whole = [host, ...named.map(([name]) => name), file].join("/");
  if (Buffer.byteLength(whole, "utf8") > 1000) return { host, path: `${host}/_long/${sha256(url)}.md`, hashed: hostHashed };
  const inFolder = named.some(([, isHashed]) => isHashed);
  return { host, path: whole, query, inFolder, hashed: hostHashed || hashed || inFolder };
}

const taken = {};

function placed(url, layout) {
  const name = nameOf(url, layout);
  if (!name.hashed) return name.path;
  const owners = (taken[layout] ??= new Map());
  const slot = layout.endsWith("-fold") ? name.path.toLowerCase() : name.path;
  if (!owners.has(slot)) owners.set(slot, url);
  if (owners.get(slot) === url) return name.path;
  if (layout === "hash") return `${name.host}/${sha256(url)}.md`;
  const at = name.path.lastIndexOf("__q_");
  const full = `${name.path.slice(0, at + 4)}${sha256(url)}.md`;
  const fits = size(full.split("/").pop())[0] <= 200 && Buffer.byteLength(full, "utf8") <= 1000;
  return name.query != null && at >= 0 && fits && !name.inFolder ? full : `${name.host}/_long/${sha256(url)}.md`;
}

// --- ids ---

const HREF = "5b3d2154c0a9437b93245f62adeb9a44";
const FILE = "6b3d2154c0a9437b93245f62adeb9a44";
const KINDS = {
  revision: [HREF, "5f62adeb9a44"],
  url: [HREF, "0e90d9cb2fdb"],
  document: [FILE, "b418a9d37ad1"],
  folder: [FILE, "b418a9d37ad1"],
};

function bid(kind, of) {
  const [namespace, mark] = KINDS[kind];
  const name = kind === "folder" ? (of.replace(/\/+$/, "") || ".") + "/" : of;
  const octets = createHash("sha1").update(Buffer.from(namespace, "hex")).update(name).digest();
  octets[6] = (octets[6] & 0x0f) | 0x50;
  octets[8] = (octets[8] & 0x3f) | 0x80;
  const hex = octets.toString("hex");
  return `bid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${mark}`;
}

// --- what a body says ---

const META = /<meta[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i;
const XML = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']/;

// The Encoding Standard's windows-1252 from 80 to 9F; Node 20 decodes these as ISO 8859-1.
const HIGH =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

const western = {
  decode: (bytes) => bytes.toString("latin1").replace(/[\x80-\x9f]/g, (c) => HIGH[c.charCodeAt(0) - 0x80]),
};

function decoderOf(label) {
  try {
    const decoder = new TextDecoder(label, { ignoreBOM: true });
    return decoder.encoding === "windows-1252" ? western : decoder;
  } catch {
    return null;
  }
}

function decoded(bytes, contentType) {
  const marks = { efbbbf: "utf-8", feff: "utf-16be", fffe: "utf-16le" };
  for (const [mark, label] of Object.entries(marks)) {
    if (bytes.toString("hex", 0, mark.length / 2) === mark) return new TextDecoder(label).decode(bytes);
  }
  const named = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType);
  const header = named && decoderOf(named[1]);
  if (header) return header.decode(bytes);
  const head = bytes.toString("latin1", 0, 65536).split(/<\/head/i)[0];
  const told = META.exec(head.slice(0, 1024)) ?? META.exec(head) ?? XML.exec(head);
  if (told) {
    const label = /^utf-?16/i.test(told[1]) ? "utf-8" : told[1] === "x-user-defined" ? "windows-1252" : told[1];
    const decoder = decoderOf(label);
    if (decoder) return decoder.decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return western.decode(bytes);
  }
}

function body(row) {
  const text = decoded(Buffer.from(row.body_hex, "hex"), row.content_type);
  return { text, content_sha256: sha256(text) };
}

// --- sections of Markdown (of HTML they need a parser, which Node does not have) ---

const words = (lines) => lines.join(" ").split(/\s+/).filter(Boolean).join(" ");
const sectionHash = (text) => `section_v1-${sha256(text)}`;
const plain = (text) =>
  text.replace(/!?\[([^\]]*)\]\([^)]*\)|[*`]|<[^>]*>|(?<!\w)_|_(?!\w)/g, (_, inner) => inner ?? "").trim();
// The letters of Unicode 3.2 are asked for; Node has those of a later one, which differ in none that it had.
const slug = (title) =>
  [...title.trim().toLowerCase()].map((c) => (c === " " ? "-" : /[a-z0-9_-]|[^\x00-\x7f]/.test(c) && /[-\p{L}\p{M}\p{N}\p{Pc}]/u.test(c) ? c : "")).join("");

function headingsOf(lines) {
  const found = [];
  let fence = "";
  lines.forEach((line, number) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    if (mark) {
      if (!fence) fence = mark[1];
      else if (mark[1].startsWith(fence) && !line.replace(/^[ `~]+|[ `~]+$/g, "")) fence = "";
      return;
    }
    if (fence) return;
    const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line);
    const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(line);
    if (atx) found.push({ line: number, level: atx[1].length, title: plain(atx[2] ?? "") });
    else if (under && number && lines[number - 1].trim())
      found.push({ line: number - 1, level: under[1][0] === "=" ? 1 : 2, title: plain(lines[number - 1]) });
  });
  return found;
}

function anchorsOf(sections, title) {
  const first = new Map();
  sections.forEach((one, at) => one.own && !first.has(one.own) && first.set(one.own, at));
  const used = new Set(first.keys());
  const bases = [];
  return sections.map((one, at) => {
    if (one.own && first.get(one.own) === at) return (bases[at] = one.own);
    let above = one.parent >= 0 ? bases[one.parent] + "/" : title >= 0 ? "/" : "";
    if (title === one.parent || title === at) above = "";
    const base = (bases[at] = above + (one.own || slug(one.title) || "section"));
    let anchor = base;
    for (let number = 2; used.has(anchor); number++) anchor = `${base}-${number}`;
    used.add(anchor);
    return anchor;
  });
}

function sections({ markdown }) {
  const lines = markdown.split("\n");
  const headings = headingsOf(lines);
  const around = [];
  headings.forEach((one, at) => {
    while (around.length && headings[around.at(-1)].level >= one.level) around.pop();
    one.parent = around.length ? around.at(-1) : -1;
    around.push(at);
    const raw = (line) => /<[a-z][^>]*\b(?:id|name)\s*=\s*["']([^"']+)["']/i.exec(lines[line] ?? "")?.[1];
    let before = one.line - 1;
    while (before > 0 && !lines[before].trim()) before--;
    one.own = raw(one.line) || raw(before) || "";
  });
  const anchors = anchorsOf(headings, headings[0]?.level === 1 ? 0 : -1);
  const found = headings.map((one, at) => {
    const text = words(lines.slice(one.line, headings[at + 1]?.line ?? lines.length));
    return { anchor: anchors[at], text, content: sectionHash(text) };
  });
  const text = words(lines.slice(0, headings[0]?.line ?? lines.length));
  if (text || !headings.length) found.unshift({ anchor: "", text, content: sectionHash(text) });
  return { sections: found };
}

const DO = {
  body,
  sections,
  canon: (row) => canonical(row.input, row.policy),
  name: (row) => ({ path: placed(row.canonical, row.layout) }),
  id: (row) => ({ id: sha256(row.inputs.map((input) => input + "\0").join("")) }),
  bid: (row) => ({ bid: bid(row.kind, row.of) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line);
  process.stdout.write(JSON.stringify(DO[row.do](row)) + "\n");
}
