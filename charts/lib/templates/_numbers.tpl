{{/* A quantity as Kubernetes writes them, as a number: cores, bytes. */}}
{{- define "lib.amount" -}}
{{- $text := include "lib.text" . -}}
{{- $units := dict "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $unit := regexFind "[A-Za-z]+$" $text -}}
{{- mulf (trimSuffix $unit $text | float64) (get $units $unit | default 1 | float64) -}}
{{- end -}}

{{/* A size of memory in whole MiB. */}}
{{- define "lib.mebibytes" -}}
{{- divf (include "lib.amount" . | float64) 1048576 | floor | int64 -}}
{{- end -}}

{{/* A duration like 30s in milliseconds. */}}
{{- define "lib.durationMs" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 -}}
{{- mul (regexFind "[0-9]+" . | int64) (get $units (regexFind "[a-z]+" .) | int64) -}}
{{- end -}}

{{/* Seconds of a fact that a variable may change. */}}
{{- define "lib.seconds" -}}
{{- $fact := index . 1 -}}
{{- $found := dict "value" "" -}}
{{- if $fact.variable -}}
{{- $_ := set $found "value" (get ((index . 0).Values.config | default dict) $fact.variable) -}}
{{- end -}}
{{- if $found.value -}}{{ include "lib.text" $found.value }}{{- else -}}{{ int64 $fact.seconds }}{{- end -}}
{{- end -}}

{{/* How long a pod may take to its end, seconds. */}}
{{- define "lib.grace" -}}
{{- $handler := include "lib.seconds" (list . .facts.handler) | int64 -}}
{{- $least := add $handler 30 (.Values.preStopSeconds | int64) -}}
{{- $given := .Values.terminationGracePeriodSeconds -}}
{{- if kindIs "invalid" $given -}}
{{- $least -}}
{{- else if lt ($given | int64) $least -}}
{{- include "lib.fail" (list . (printf "terminationGracePeriodSeconds is %d, but a piece of work may take %d s, so give at least %d, or null" ($given | int64) $handler $least)) -}}
{{- else -}}
{{- $given | int64 -}}
{{- end -}}
{{- end -}}

{{/* What a process needs beside the heap, MiB: its code, its buffers. */}}
{{- define "lib.besideHeap" -}}
{{- $buffers := 0 -}}
{{- if .facts.besideHeapVariable -}}
{{- $found := dict -}}
{{- include "lib.variable" (list . .facts.besideHeapVariable $found) -}}
{{- $buffers = div ($found.value | int64) 1048576 -}}
{{- end -}}
{{- add 64 $buffers -}}
{{- end -}}

{{/* Heap of Node, MiB: below the limit of memory by what is beside it, and a fifth of the rest. */}}
{{- define "lib.heap" -}}
{{- $limit := include "lib.mebibytes" .Values.resources.limits.memory | int64 -}}
{{- $beside := include "lib.besideHeap" . | int64 -}}
{{- $given := .Values.heapMiB -}}
{{- $heap := ternary (div (mul (sub $limit $beside) 4) 5) ($given | int64) (kindIs "invalid" $given) -}}
{{- if lt $heap 32 -}}
{{- include "lib.fail" (list . (printf "resources.limits.memory is %s, which leaves no heap beside the %d MiB of buffers and code; give at least %dMi" .Values.resources.limits.memory $beside (add $beside 64))) -}}
{{- end -}}
{{- if gt (add $heap $beside) $limit -}}
{{- include "lib.fail" (list . (printf "heapMiB is %d, but with %d MiB beside it that is above resources.limits.memory (%s)" $heap $beside .Values.resources.limits.memory)) -}}
{{- end -}}
{{- $heap -}}
{{- end -}}
