{{/* What cannot work, each with one sentence. */}}
{{- define "relay.check" -}}
{{- if .Values.embedded.enabled -}}
{{- include "relay.checkEmbedded" . -}}
{{- else -}}
{{- include "relay.checkTopics" . -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkEmbedded" -}}
{{- $global := .Values.global -}}
{{- if $global.kafka.brokers -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.kafka.brokers names brokers; one process keeps its own bus, so remove one of them") -}}
{{- end -}}
{{- if or $global.redis.host $global.redis.sentinels.nodes -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.redis names a store; one process keeps its own, so remove one of them") -}}
{{- end -}}
{{- if ne .Values.kafka.topics.mode "job" -}}
{{- include "lib.fail" (list . (printf "embedded.enabled is true, but kafka.topics.mode is %s; one process has no topics on Kafka" .Values.kafka.topics.mode)) -}}
{{- end -}}
{{- $set := list -}}
{{- $unset := list -}}
{{- range list "apiUrl" "sensorsUrl" "tokenUrl" "clientId" -}}
{{- if get $global.platform . -}}{{- $set = append $set . -}}{{- else -}}{{- $unset = append $unset . -}}{{- end -}}
{{- end -}}
{{- if and $set $unset -}}
{{- include "lib.fail" (list . (printf "global.platform.%s is not set, but global.platform.%s is; a real platform needs all of them, a simulated one none" (first $unset) (first $set))) -}}
{{- end -}}
{{- $ingress := .Values.embedded.ingress -}}
{{- if and $ingress.enabled (not $ingress.hosts) -}}
{{- include "lib.fail" (list . "embedded.ingress.enabled is true, but embedded.ingress.hosts names no host") -}}
{{- end -}}
{{- if and .Values.embedded.httpRoute.enabled (not .Values.embedded.httpRoute.parentRefs) -}}
{{- include "lib.fail" (list . "embedded.httpRoute.enabled is true, but embedded.httpRoute.parentRefs names no Gateway") -}}
{{- end -}}
{{- $persistence := .Values.embedded.persistence -}}
{{- if and $persistence.existingClaim (not $persistence.enabled) -}}
{{- include "lib.fail" (list . "embedded.persistence.existingClaim is given, but embedded.persistence.enabled is false; set it to true") -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkTopics" -}}
{{- $topics := .Values.kafka.topics -}}
{{- $strimzi := $topics.strimzi -}}
{{- if and (eq $topics.mode "strimzi") (not $strimzi.cluster) -}}
{{- include "lib.fail" (list . "kafka.topics.mode is strimzi, but kafka.topics.strimzi.cluster does not name the Kafka") -}}
{{- end -}}
{{- if and (ne $topics.mode "strimzi") (or $strimzi.cluster $strimzi.users.enabled) -}}
{{- include "lib.fail" (list . (printf "kafka.topics.strimzi is given, but kafka.topics.mode is %s; set it to strimzi" $topics.mode)) -}}
{{- end -}}
{{- if $strimzi.users.enabled -}}
{{- include "relay.checkUsers" . -}}
{{- end -}}
{{- if and (eq .Values.global.kafka.sasl.mechanism "none") (or $topics.sasl.username .Values.tasks.kafka.sasl.username) -}}
{{- include "lib.fail" (list . "a user of the brokers is given for topics or tests, but global.kafka.sasl.mechanism is none") -}}
{{- end -}}
{{- if not .Subcharts -}}
{{- include "lib.fail" (list . "every service is switched off, and embedded.enabled is false, so there is nothing to install") -}}
{{- end -}}
{{- end -}}

{{/* Users that Strimzi makes: the logins are theirs, and no Secret of ours is called like one, which it would replace. */}}
{{- define "relay.checkUsers" -}}
{{- $users := list -}}
{{- range (.Files.Get "files/topics.json" | fromJson).users -}}
{{- $users = append $users (include "relay.strimziName" (printf "%s%s" $.Values.global.kafka.prefix .user)) -}}
{{- end -}}
{{- with .Values.tasks.kafka.sasl.username -}}
{{- if not (has . $users) -}}
{{- include "lib.fail" (list $ (printf "tasks.kafka.sasl.username is %s, but Strimzi makes %s (kafka.topics.strimzi.users.enabled)" . (join ", " $users))) -}}
{{- end -}}
{{- end -}}
{{- if eq (include "relay.strimziNamespace" .) .Release.Namespace -}}
{{- range $scope := prepend .facts.services "global" -}}
{{- $values := get $.Values $scope | default dict -}}
{{- $paths := list "secretName" "redis.password.name" "redis.sentinels.password.name" "platform.clientSecret.name" -}}
{{- range $variable, $_ := get $values "secrets" | default dict -}}
{{- $paths = append $paths (printf "secrets.%s.name" $variable) -}}
{{- end -}}
{{- range $paths -}}
{{- $found := dict -}}
{{- include "lib.at" (list $values . $found) -}}
{{- if has $found.value $users -}}
{{- include "lib.fail" (list $ (printf "%s.%s: a Secret is called %s, which is also a user: Strimzi would replace it by its own; give yours another name" $scope . $found.value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
