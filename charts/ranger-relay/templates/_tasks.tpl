{{/*
Makes the component of a short-lived pod: root context, its key in the catalog, its login at the brokers, its variables, and the map that
becomes it.
*/}}
{{- define "ranger-relay.task" -}}
{{- $root := index . 0 -}}
{{- $values := deepCopy (omit $root.Values.tasks "kafka") -}}
{{- $login := dict -}}
{{- range $key, $value := index . 2 -}}
{{- if $value -}}{{- $_ := set $login $key $value -}}{{- end -}}
{{- end -}}
{{- $config := include "ranger-relay.slugs" $root | fromYaml -}}
{{- include "ranger-relay.fill" (list $values (dict "kafka" (dict "sasl" $login) "config" (merge (index . 3) $config) "heapMiB" 0)) -}}
{{- /* Additions to the services do not apply to short-lived pods: a sidecar would keep them running. */ -}}
{{- range list "initContainers" "extraContainers" "extraEnv" "envFrom" "extraVolumes" "extraVolumeMounts" -}}
{{- include "ranger-relay.fill" (list $values (dict . list)) -}}
{{- end -}}
{{- include "ranger-relay.component" (list $root (index . 1) $values (index . 4)) -}}
{{- range $name, $_ := $root.Values.secrets -}}
{{- if not (hasKey ($root.Values.tasks.secrets | default dict) $name) -}}{{- $_ := unset (index $ 4).mounts $name -}}{{- end -}}
{{- end -}}
{{- $_ := set (index . 4) "restartPolicy" "Never" -}}
{{- end -}}

{{/* Types of the integrations, from which the names of command topics follow. */}}
{{- define "ranger-relay.slugs" -}}
{{- range $variable, $key := dict "PUSHER_TYPE_SLUG" "pusher" "RUNNER_TYPE_SLUG" "runner" }}
{{- $c := dict }}
{{- if $.Values.embedded.enabled }}
{{- include "ranger-relay.component" (list $ "embedded" $.Values.embedded $c) }}
{{ $variable }}: {{ get $c.values.config $variable }}
{{- else }}
{{- include "ranger-relay.component" (list $ $key (get $.Values $key) $c) }}
{{ $variable }}: {{ $c.values.config.INTEGRATION_TYPE_SLUG }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Egress of a short-lived pod, without ingress: its component, more egress rules, annotations. */}}
{{- define "ranger-relay.taskPolicy" -}}
{{- $c := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "ranger-relay.metadata" (list $c "" dict (index . 2)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "ranger-relay.selectorLabels" $c | nindent 6 }}
  policyTypes:
    - Ingress
    - Egress
  egress:
    {{- include "ranger-relay.egress" $c | trim | nindent 4 }}
    {{- with index . 1 }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The pod of a test. */}}
{{- define "ranger-relay.testPod" -}}
{{- $hook := dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation" -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "ranger-relay.metadata" (list . "" (.values.podLabels | default dict) (merge $hook (.values.podAnnotations | default dict))) | nindent 2 }}
spec:
  {{- include "ranger-relay.podSpec" . | nindent 2 }}
{{- end -}}

{{/* Schedules a test on the node of the one process, whose volume it mounts: root context, component of the test. */}}
{{- define "ranger-relay.besideEmbedded" -}}
{{- $root := index . 0 -}}
{{- $c := index . 1 -}}
{{- $embedded := dict -}}
{{- include "ranger-relay.component" (list $root "embedded" $root.Values.embedded $embedded) -}}
{{- $claim := $root.Values.embedded.persistence.existingClaim | default (printf "data-%s-0" (include "ranger-relay.fullname" $embedded)) -}}
{{- $selector := dict "matchLabels" (include "ranger-relay.selectorLabels" $embedded | fromYaml) -}}
{{- $_ := set $c "volumes" (list (dict "name" "data" "persistentVolumeClaim" (dict "claimName" $claim))) -}}
{{- $near := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" $selector -}}
{{- $_ := set $c.values "affinity" (dict "podAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $near))) -}}
{{- $_ := set $c.env "DATA_DIR" "/data" -}}
{{- end -}}
